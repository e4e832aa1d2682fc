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

seconds() { local start end; start=$(date +%s.%N); "$@"; end=$(date +%s.%N); echo "$end - $start" | bc; }
best() { local best=999999 now; for _ in 1 2 3 4 5; do now=$(seconds "$@"); best=$(echo "if ($now < $best) $now else $best" | bc); done; echo "$best"; }
tee_tail() { rm -f copy; tee copy < log | tail -c 8000 > /dev/null; }
line() { rm -rf store; "$offcut" --store store < log > /dev/null; }
plain() { rm -rf store; OFFCUT_REDACTION__MODE=off "$offcut" --store store < log > /dev/null; }

tee=$(best tee_tail); own=$(best line); off=$(best plain)
echo "$size MiB log: tee copy | tail -c 8000   $tee s"
echo "$size MiB log: offcut, redaction off     $off s   $(echo "scale=2; $off / $tee" | bc) x (bar: 2.0)"
echo "$size MiB log: offcut, redaction on      $own s   $(echo "scale=2; $own / $tee" | bc) x (bar: 3.0)"

rm -rf store copy
for _ in 1 2 3 4; do cat log; done | /usr/bin/time -f %M -o peak "$offcut" --store store > /dev/null
echo "$((size * 4)) MiB stream: peak resident memory $(($(cat peak) / 1024)) MiB (bar: 64)"

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
print(f"echo hi: cat {cat:.2f} ms, offcut {own:.2f} ms, {own - cat:.2f} ms more (bar: 5)")
PY
