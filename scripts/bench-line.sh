#!/usr/bin/env bash
# The whole line beside what a shell does with the same bytes, in one run: prints times, ratios and peak memory.
#
#   scripts/bench-line.sh [SIZE_MIB]      a generated log, 1024 MiB unless told
set -euo pipefail
cd "$(dirname "$0")/.."
size=${1:-1024}
cargo build --release --quiet
offcut=$PWD/target/release/offcut
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The default maximum of 1 GiB would refuse the log, and measure nothing.
export OFFCUT_MAX_ARTIFACT_SIZE=8GB

python3 - "$size" <<'PY'
import random, sys
random.seed(7)
levels = ["INFO"] * 80 + ["DEBUG"] * 17 + ["WARN"] * 2 + ["ERROR"]
with open("block", "w") as out:
    written, n = 0, 0
    while written < 64 << 20:
        line = (f"2026-11-15T10:{n//60%60:02d}:{n%60:02d}.{n%1000:03d}Z {random.choice(levels)} [worker-{n%16}] "
                f"app.module{n%37}: handled request id={random.getrandbits(40):x} path=/api/v1/items/{n%1000} "
                f"in {random.randint(1,900)} ms\n")
        written += out.write(line)
        n += 1
PY
for _ in $(seq $((size / 64))); do cat block; done > log
cat log > /dev/null

# Every round takes all of them, so that they see the same disk; the best of each counts. What is removed before each is
# not timed. `tee` leaves its copy in memory for the system to write at some time, and so does Offcut as a command; under
# `durability: sync` its copy is on the disk when it ends, as that of `tee` and `sync` is.
rounds=5
declare -A best
seconds() { local start end; start=$(date +%s.%N); "$@"; end=$(date +%s.%N); echo "$end - $start" | bc; }
take() {
    rm -rf copy store
    local name=$1 now; shift
    now=$(seconds "$@")
    best[$name]=$(echo "b = ${best[$name]:-999999}; if ($now < b) $now else b" | bc)
}
tee_tail() { tee copy < log | tail -c 8000 > /dev/null; }
tee_sync() { tee_tail; sync copy; }
line() { OFFCUT_REDACTION__MODE=$1 OFFCUT_ARTIFACTS__DURABILITY=$2 "$offcut" --store store < log > /dev/null; }
for _ in $(seq "$rounds"); do
    take tee tee_tail
    take sync tee_sync
    take off line off rename
    take on line on rename
    take safe line on sync
done
ratio() { echo "scale=2; ${best[$1]} / ${best[$2]}" | bc; }
echo "$size MiB log: tee copy | tail -c 8000          ${best[tee]} s"
echo "$size MiB log: the same, then sync copy         ${best[sync]} s"
echo "$size MiB log: offcut, redaction off            ${best[off]} s   $(ratio off tee) x"
echo "$size MiB log: offcut, redaction on             ${best[on]} s   $(ratio on tee) x (bar: 1.25)"
echo "$size MiB log: offcut, redaction on, synced     ${best[safe]} s   of the synced copy $(ratio safe sync) x (bar: 1.25)"

rm -rf store copy
for _ in 1 2 3 4; do cat log; done | /usr/bin/time -f %M -o peak "$offcut" --store store > /dev/null
echo "$((size * 4)) MiB stream: peak resident memory $(($(cat peak) / 1024)) MiB (bar: 32)"

python3 - "$offcut" <<'PY'
import statistics, subprocess, sys, time
def median(command):
    times = []
    for _ in range(50):
        start = time.perf_counter()
        subprocess.run(command, input=b"hi\n", capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000
cat, own = median(["cat"]), median([sys.argv[1]])
print(f"echo hi: cat {cat:.2f} ms, offcut {own:.2f} ms, {own - cat:.2f} ms more (bar: 1.5)")
PY
