#!/usr/bin/env bash
# The npm packages of this platform: compiles the TypeScript, and packs it and what cargo has built.
#
#     scripts/pack-node.sh DIRECTORY [OF CARGO'S PROFILE: target/debug]      prints the two tarballs
#
# The directory of the profile has the command `offcut` and the native module `liboffcut_node.so`. Ends with 69 where the
# compiler cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
into="$(mkdir -p "$1" && cd "$1" && pwd)"
built="${2:-target/debug}"

# What the compiler needs, once for each list of packages.
stamp="crates/node/node_modules/.stamp-$(cksum < crates/node/package.json | cut -d ' ' -f 1)"
if [ ! -e "$stamp" ]; then
    (cd crates/node && npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts >&2) || exit 69
    touch "$stamp"
fi
rm -rf crates/node/dist
(cd crates/node && npx --no-install tsc >&2)

stage="$into/stage"
rm -rf "$stage"
mkdir -p "$stage/offcut" "$stage/platform"
cp -r crates/node/package.json crates/node/README.md crates/node/dist "$stage/offcut"
cp crates/node/platform/package.json "$stage/platform"
cp LICENSE-MIT LICENSE-APACHE "$stage/offcut"
cp LICENSE-MIT LICENSE-APACHE "$stage/platform"
chmod +x "$stage/offcut/dist/command.cjs"
without_symbols() { strip -o "$2" "$1" 2> /dev/null || cp "$1" "$2"; }
without_symbols "$built/offcut" "$stage/platform/offcut"
without_symbols "$built/liboffcut_node.so" "$stage/platform/offcut.node"
for package in offcut platform; do
    (cd "$stage/$package" && npm pack --silent --pack-destination "$into") | sed "s|^|$into/|"
done
rm -rf "$stage"
cd "$project"
