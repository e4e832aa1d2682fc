#!/usr/bin/env bash
# A large JSON array beside jq, in one run: scripts/bench-json.sh [MiB] [ROUNDS]
#
# Makes an array of records of that size (1024 MiB), and runs, in turns, `jq length` on it, the cut alone (the example
# `structured`, which measures and cuts a file) and the whole way (`offcut`: cleaned, redacted, stored, cut).
# Prints the median time of each, how many times jq's that is, and the most memory that it took.
set -euo pipefail
cd "$(dirname "$0")/.."

MIB=${1:-1024}
ROUNDS=${2:-3}
for tool in jq python3; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool" >&2; exit 0; }
done
cargo build --quiet --release -p offcut
cargo build --quiet --release -p offcut-bench --example structured
TARGET=${CARGO_TARGET_DIR:-target}
# The default maximum of 1 GiB would refuse the document, and measure nothing.
export OFFCUT_MAX_ARTIFACT_SIZE=8GB

dir=$(mktemp -d -p .)
trap 'rm -rf "$dir"' EXIT
python3 - "$dir/big.json" "$MIB" <<'PY'
import sys
path, size = sys.argv[1], int(sys.argv[2]) << 20
with open(path, "w") as out:
    written, n, lines = out.write("["), 0, []
    while written < size - 400:
        lines.append('%s{"id": %d, "name": "user %d", "email": "user%d@example.com", "status": "%s", "score": %d.5, '
                     '"tags": ["a", "b"], "address": {"street": "Main Street %d", "zip": "%05d"}}'
                     % (",\n" if n else "", n, n, n, "failed" if n == 1234567 else "active", n * 3, n, n % 100000))
        n += 1
        if len(lines) == 10000:
            written += out.write("".join(lines))
            lines = []
    out.write("".join(lines) + "]\n")
PY

python3 - "$dir" "$TARGET" "$ROUNDS" <<'PY'
import os, resource, statistics, subprocess, sys, time
folder, target, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
source = os.path.join(folder, "big.json")
size = os.path.getsize(source)
ways = {
    "jq length": ["jq", "length", source],
    "cut alone": [f"{target}/release/examples/structured", "json", "8000", source],
    "whole way": [f"{target}/release/offcut", "--store", os.path.join(folder, "store"), "--tool", "http_request"],
}

def run(command, stdin):
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed: {status}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

found = {name: [] for name in ways}
open(source, "rb").read(1)
for _ in range(rounds):
    for name, command in ways.items():
        with open(source, "rb") as stdin:
            found[name].append(run(command, stdin))
        subprocess.run(["rm", "-rf", os.path.join(folder, "store")])
jq = statistics.median(passed for passed, _, _ in found["jq length"])
jq_worked = statistics.median(worked for _, worked, _ in found["jq length"])
print(f"{size / 2**20:.0f} MiB of JSON, median of {rounds}:")
for name, runs in found.items():
    passed, worked = (statistics.median(run[at] for run in runs) for at in (0, 1))
    most = max(run[2] for run in runs)
    print(f"  {name}: {passed:6.2f} s, processors worked {worked:6.2f} s, {most:6.0f} MiB at most, "
          f"{size / 2**20 / passed:5.0f} MiB/s; jq takes {jq / passed:.1f} times as long, worked {jq_worked / worked:.1f} times as much")
PY
