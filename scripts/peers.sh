#!/usr/bin/env bash
# Installs the real peers of our end-to-end tests: MCP servers, the official conformance suite, coding agents.
#
#     eval "$(scripts/peers.sh)"     sets PEERS_DIR and PATH; what cannot be had is said on stderr
#
# They go to target/peers, or to $PEERS_DIR where that is set. Nothing but npm is needed.
set -uo pipefail
cd "$(dirname "$0")/.."

peers="${PEERS_DIR:-$PWD/target/peers}"
if ! command -v npm > /dev/null; then
    echo "skipped: npm is not installed, so no real peer can be" >&2
    exit 0
fi

install() { # install FOLDER PACKAGE…
    local folder="$peers/$1"
    shift
    [ -e "$folder/.complete" ] && return
    mkdir -p "$folder"
    # A connection that hangs is given up, and tried once more.
    for _ in 1 2; do
        if timeout 240 npm install --silent --no-audit --no-fund --fetch-timeout=60000 --prefix "$folder" "$@" \
            > "$folder/npm.log" 2>&1; then
            touch "$folder/.complete"
            return
        fi
    done
    echo "skipped: $* could not be installed in time: $(tail -1 "$folder/npm.log")" >&2
}

# Several agents want a newer Node than distributions have; the npm package carries the binary.
install node node@24
node="$peers/node/node_modules/node/bin"
[ -x "$node/node" ] && PATH="$node:$PATH"

install conformance @modelcontextprotocol/conformance@0.2.0-alpha.12
install servers @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/server-memory@2026.8.31
install claude @anthropic-ai/claude-code@2.1.325
install codex @openai/codex@0.166.0
install opencode opencode-ai@1.18.33
install gemini @google/gemini-cli@0.61.0
install copilot @github/copilot@1.0.102

printf 'export PEERS_DIR=%q PATH=%q\n' "$peers" "$PATH"
