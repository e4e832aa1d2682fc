#!/usr/bin/env bash
# The npm package: builds it as a developer does, packs it, installs the packages into empty folders, and runs its tests
# and type checks. Libraries that cannot be installed are skipped, loudly.
#
#     scripts/test-node.sh [ARGUMENTS OF NODE'S TEST RUNNER…]
#
# NODE_ADAPTERS names the libraries of tests/libraries.txt to test with (all of them). The scripted model is looked for
# in `shared/testkit` beside the project, or where OFFCUT_TESTKIT says.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD

# Distributions have an old Node; the one of the end-to-end tests serves as well.
recent='const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
peers="${PEERS_DIR:-$project/target/peers}/node/node_modules/node/bin"
if [ -x "$peers/node" ] && ! node -e "$recent" 2> /dev/null; then
    PATH="$peers:$PATH"
fi
if ! command -v npm > /dev/null || ! node -e "$recent" 2> /dev/null; then
    echo "skipped: the npm package needs npm and Node 20.19, 22.12 or later" >&2
    exit 0
fi

export CARGO_TARGET_DIR="$project/target"
cargo fmt --manifest-path crates/node/Cargo.toml --check
cargo clippy --quiet --manifest-path crates/node/Cargo.toml --all-targets -- -D warnings
cargo build --quiet -p offcut
cargo build --quiet --manifest-path crates/node/Cargo.toml

work="$project/target/node"
rm -rf "$work/packs"
npm_install() { timeout 400 npm install --silent --no-audit --no-fund --no-package-lock --fetch-timeout=60000 "$@"; }
packs="$(scripts/pack-node.sh "$work/packs")" || {
    [ $? = 69 ] || exit 1
    echo "skipped: the npm package was not tested: TypeScript and what it is checked against could not be installed" >&2
    exit 0
}

# On a machine with nothing but Node: three lines cut a log of 5 MB.
empty="$work/empty"
rm -rf "$empty"
mkdir -p "$empty"
echo '{ "private": true }' > "$empty/package.json"
# shellcheck disable=SC2086
(cd "$empty" && npm_install --offline $packs)
cat > "$empty/three-lines.mjs" << 'JS'
import { cut } from "offcut";
const reply = await cut({ file: "build.log" }, { limit: 8000, tool: "bash" });
console.log(String(reply));
JS
node -e 'const line = (n) => `12:00:00 INFO worker ${n} finished its part of the work\n`;
const lines = Array.from({ length: 100_000 }, (_, n) => line(n)); lines[50_000] = "error: disk /dev/sda7 is full\n";
require("node:fs").writeFileSync(process.argv[1], lines.join(""))' "$empty/build.log"
(cd "$empty" && node three-lines.mjs > reply.txt)
grep -q "error: disk /dev/sda7 is full" "$empty/reply.txt"
[ "$(wc -c < "$empty/build.log")" -gt 5000000 ] && [ "$(wc -m < "$empty/reply.txt")" -le 8001 ]
echo "a log of 5 MB was cut by three lines in an empty folder"

# Each adapter's library by itself: one that is missing leaves the others.
app="$work/app"
mkdir -p "$app"
[ -e "$app/package.json" ] || echo '{ "private": true, "type": "module" }' > "$app/package.json"
wanted() { [ -z "${NODE_ADAPTERS-}" ] || [[ " $NODE_ADAPTERS " == *" $1 "* ]]; }
rm -rf "$app/node_modules/offcut" "$app/node_modules/@offcut"
while read -r name libraries; do
    [ "$name" = types ] || wanted "$name" || continue
    stamp="$app/.$name-$(echo "$libraries" | cksum | cut -d ' ' -f 1)"
    # shellcheck disable=SC2086
    [ -e "$stamp" ] || { (cd "$app" && npm_install --ignore-scripts $libraries) && touch "$stamp"; } ||
        echo "skipped: the adapter for $name is not tested: $libraries" >&2
done < crates/node/tests/libraries.txt
# shellcheck disable=SC2086
(cd "$app" && npm_install --ignore-scripts --prefer-offline $packs)

rm -rf "$app/tests"
cp -r crates/node/tests "$app/tests"
cd "$app"
npx --no-install tsc --project tests/tsconfig.json
if [ -d node_modules/ai ] && [ -d node_modules/langchain ] && [ -d node_modules/@modelcontextprotocol/sdk ]; then
    npx --no-install tsc --project tests/tsconfig.adapters.json
else
    echo "skipped: the adapters' types are not checked beside their libraries': not all of these are installed" >&2
fi
PROJECT_DIR="$project" node --test --test-reporter=spec "$@" tests/*.test.mjs
