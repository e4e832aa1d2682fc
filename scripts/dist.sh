#!/usr/bin/env bash
# Everything that a release consists of, for this platform, into target/dist: the command with its manual and completions,
# the wheel, the npm packages, the release's section of the changelog, a bill of materials, and checksums of all of them.
#
#     scripts/dist.sh
#
# The profile `shipped` takes its time (fat LTO); DIST_PROFILE names another one: `dev` tries the steps with the build of
# developers. What cannot be built for want of a tool is skipped, loudly.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
profile="${DIST_PROFILE:-shipped}"
dist="$project/target/dist"
built="$project/target/$([ "$profile" = dev ] && echo debug || echo "$profile")"
export CARGO_TARGET_DIR="$project/target"

# The same bytes from the same sources: no time of today, and no path of this machine.
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
if [ "$profile" != dev ]; then
    export RUSTFLAGS="--remap-path-prefix=$project=/offcut --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
fi

skip() { printf '** skipped: %s\n' "$*" >&2; }

rm -rf "$dist"
mkdir -p "$dist"
version="$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)"
platform="$(rustc -vV | sed -n 's/^host: //p')"

echo "== the command" >&2
cargo build --locked --profile "$profile" -p offcut
name="offcut-$version-$platform"
stage="$dist/$name"
mkdir -p "$stage/completions" "$stage/man"
strip -o "$stage/offcut" "$built/offcut" 2> /dev/null || cp "$built/offcut" "$stage/offcut"
"$stage/offcut" completions bash > "$stage/completions/offcut.bash"
"$stage/offcut" completions zsh > "$stage/completions/_offcut"
"$stage/offcut" completions fish > "$stage/completions/offcut.fish"
"$stage/offcut" completions powershell > "$stage/completions/offcut.ps1"
"$stage/offcut" completions elvish > "$stage/completions/offcut.elv"
"$stage/offcut" man "$stage/man" > /dev/null
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$stage"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$dist" -cf - "$name" |
    gzip -9n > "$dist/$name.tar.gz"

echo "== the wheel" >&2
maturin="$(command -v maturin || ls target/python/venv/bin/maturin 2> /dev/null || true)"
if [ -n "$maturin" ]; then
    install -D "$stage/offcut" crates/python/offcut.data/scripts/offcut
    "$maturin" build --quiet --locked --profile "$profile" --manifest-path crates/python/Cargo.toml --auditwheel skip --out "$dist"
else
    skip "the wheel needs maturin (pip install maturin)"
fi

echo "== the npm packages" >&2
if command -v npm > /dev/null; then
    cargo build --locked --profile "$profile" --manifest-path crates/node/Cargo.toml
    scripts/pack-node.sh "$dist" "$built" > /dev/null || skip "the npm packages need TypeScript, which could not be installed"
else
    skip "the npm packages need npm"
fi

echo "== notes, bill of materials, checksums" >&2
rm -rf "$stage"
awk '/^## / { if (seen) exit; seen = 1 } seen' CHANGELOG.md > "$dist/offcut-$version-changes.md"
scripts/sbom.py offcut "$platform" > "$dist/offcut-$version-sbom.cdx.json"
(cd "$dist" && sha256sum -- * > SHA256SUMS)
cat "$dist/SHA256SUMS"
echo "$dist" >&2
