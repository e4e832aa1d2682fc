#!/usr/bin/env bash
# Everything that a release consists of, for this platform, into target/dist: the command with its manual and completions,
# the wheel, the npm packages, the release's section of the changelog, a bill of materials, and checksums of all of them.
#
#     scripts/dist.sh
#
# On Linux nothing of it asks for a libc newer than 2.17: the command brings its own (a static program), and the modules
# for Python and Node are linked by zig against that version. The profile `shipped` takes its time (fat LTO); DIST_PROFILE
# names another one: `dev` tries the steps with the build of developers, against the libc that is here. What cannot be
# built for want of a tool is skipped, loudly.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
profile="${DIST_PROFILE:-shipped}"
dist="$project/target/dist"
platform="$(rustc -vV | sed -n 's/^host: //p')"
export CARGO_TARGET_DIR="$project/target"

# The same bytes from the same sources: no time of today, and no path of this machine.
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
# Build scripts and macros are compiled for this machine alone; flags go to what is shipped.
built="$project/target/$platform/$([ "$profile" = dev ] && echo debug || echo "$profile")"
flags=
own_libc=
[ "$profile" = dev ] ||
    flags="--remap-path-prefix=$project=/offcut --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
case "$profile $platform" in
dev*) ;;
*-linux-gnu) own_libc="-C target-feature=+crt-static -C relocation-model=static" ;;
esac

skip() { printf '** skipped: %s\n' "$*" >&2; }

# What links a module against an old libc; the distributions have none of it.
tools="$project/target/dist-tools"
if [ -n "$own_libc" ] && [ ! -e "$tools/.complete" ]; then
    if python3 -m venv "$tools" &&
        "$tools/bin/pip" install --quiet --disable-pip-version-check "maturin>=1.12,<2" cargo-zigbuild ziglang; then
        touch "$tools/.complete"
    fi
fi
old_libc=
if [ -n "$own_libc" ] && [ -e "$tools/.complete" ]; then
    export PATH="$tools/bin:$PATH"
    old_libc=yes
elif [ -n "$own_libc" ]; then
    skip "modules for an old libc: maturin, cargo-zigbuild and ziglang could not be installed; they will need the one that is here"
fi

rm -rf "$dist"
mkdir -p "$dist"
version="$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)"

echo "== the command" >&2
RUSTFLAGS="$flags $own_libc" cargo build --locked --profile "$profile" --target "$platform" -p offcut
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
    compatible=(--auditwheel skip)
    [ -z "$old_libc" ] || compatible=(--zig --compatibility manylinux2014)
    RUSTFLAGS="$flags" "$maturin" build --quiet --locked --profile "$profile" --target "$platform" "${compatible[@]}" \
        --manifest-path crates/python/Cargo.toml --out "$dist"
else
    skip "the wheel needs maturin (pip install maturin)"
fi

echo "== the npm packages" >&2
if command -v npm > /dev/null; then
    if [ -n "$old_libc" ]; then
        RUSTFLAGS="$flags" cargo zigbuild --locked --profile "$profile" --target "$platform.2.17" --manifest-path crates/node/Cargo.toml
    else
        RUSTFLAGS="$flags" cargo build --locked --profile "$profile" --target "$platform" --manifest-path crates/node/Cargo.toml
    fi
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
