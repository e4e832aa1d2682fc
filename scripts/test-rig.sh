#!/usr/bin/env bash
# The example with rig, run by a scripted model: it must see the line in the middle, and get the gap that it asks for.
#
#     scripts/test-rig.sh
#
# Builds examples/rig by itself, since no member of the workspace needs rig. The scripted model lies beside the
# repository; without it this is skipped, loudly.
set -euo pipefail
cd "$(dirname "$0")/.."
testkit="$PWD/../shared/testkit"
if [ ! -f "$testkit/fake_llm.py" ]; then
    printf '** skipped: the scripted model is not beside this repository\n' >&2
    exit 0
fi
export CARGO_TARGET_DIR="$PWD/target/rig"
cargo build --quiet --locked --manifest-path examples/rig/Cargo.toml
PYTHONPATH="$testkit" python3 - "$CARGO_TARGET_DIR/debug/offcut-rig-example" << 'PYTHON'
import os
import subprocess
import sys

from fake_llm import FakeLLM

command = "seq 1 20000; echo 'error: planted in the middle'; seq 1 20000"
script = [
    {"tool": "run_command", "args": {"command": command}},
    {"tool": "get_artifact", "args": {"id": "last", "lines": "100-103"}},
    {"text": "done"},
]
with FakeLLM(script) as model:
    environment = {**os.environ, "OPENAI_API_KEY": "test", "OPENAI_BASE_URL": f"{model.url}/v1"}
    subprocess.run([sys.argv[1], "gpt-5.2", "Why does it fail?"], env=environment, check=True, timeout=120)
    first, gap = (result["text"] for result in model.tool_results())
assert "error: planted in the middle" in first and len(first) <= 8000, first
assert gap == "100\n101\n102\n103\n", gap
print("2 passed, 0 failed")
PYTHON
