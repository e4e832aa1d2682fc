#!/usr/bin/env bash
# Real peers: the official MCP conformance suite, the official Python client before real MCP servers, real coding agents
# against a scripted model.
#
#     scripts/test-peers.sh
#
# Installs them first (scripts/peers.sh); what cannot be had is skipped, loudly.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v npm > /dev/null || ! command -v python3 > /dev/null; then
    echo "skipped: real peers need npm and python3" >&2
    exit 0
fi
eval "$(scripts/peers.sh)"
# The whole workspace, so that what its tests were built from serves here too.
cargo build --quiet --workspace --bins --examples

CONFORMANCE_DIR="$PEERS_DIR/conformance" scripts/mcp-conformance.sh

# The Python client has an environment of its own.
python="$PEERS_DIR/python"
if [ ! -e "$python/.complete" ] && python3 -m venv "$python" &&
    "$python/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0; then
    touch "$python/.complete"
fi
if [ -e "$python/.complete" ]; then
    "$python/bin/python" scripts/mcp-transparency.py --servers "$PEERS_DIR/servers" --offcut target/debug/offcut
else
    echo "skipped: sessions with and without wrap were not compared: the Python package mcp could not be installed" >&2
fi

python3 e2e/agents.py --offcut target/debug/offcut
# The agents' own shells, set up by `offcut init`: each run has a time limit, and what is not installed is skipped.
python3 e2e/shells.py --offcut target/debug/offcut --only claude,codex,gemini,copilot,opencode
