#!/usr/bin/env python3
"""What a call from Python costs beside the same call from Rust, and how threads scale.

    cargo build -p offcut-binding --example cut
    target/python/venv/bin/python crates/python/bench.py --rust target/debug/examples/cut

Both must be built with one profile: `scripts/test-python.sh` installs the package with that of developers. Without
`--rust` only Python is measured. Times are medians; look at the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from offcut import Offcut


def output(size: int) -> str:
    """Return a log of about `size` characters with an error in its middle."""
    line = "2026-11-17T12:00:{:02}Z INFO request {} served in {} ms by worker {}\n"
    lines = [line.format(n % 60, n, n * 7919 % 900, n % 13) for n in range(size // 66)]
    lines[len(lines) // 2] = "2026-11-17T12:00:00Z ERROR disk /dev/sda7 is full\n"
    return "".join(lines)


def median(call: Callable[[], object], rounds: int) -> float:
    """Return the median time of a call in milliseconds."""
    call()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def rust(program: Path, text: str, rounds: int) -> float:
    """Return the median time of the same call from Rust in milliseconds."""
    with TemporaryDirectory() as place:
        path = Path(place) / "output"
        path.write_text(text)
        told = subprocess.run([program, path, str(rounds)], capture_output=True, text=True, check=True).stdout
    return float(told)


def threads(text: str, workers: int, calls: int) -> float:
    """Return the seconds that so many calls take on so many threads."""
    oc = Offcut()
    with ThreadPoolExecutor(workers) as pool:
        started = time.perf_counter()
        list(pool.map(lambda _: oc.cut(text, tool="bash"), range(calls)))
        return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rust", type=Path)
    program = parser.parse_args().rust
    oc = Offcut()
    for name, size, rounds in [("100 KB", 100_000, 60), ("10 MB", 10_000_000, 9)]:
        text = output(size)
        beside = rust(program, text, rounds) if program else None
        for kind, given in [("str", text), ("bytes", text.encode())]:
            took = median(lambda given=given: oc.cut(given, tool="bash"), rounds)  # type: ignore[misc]
            ratio = f", Rust {beside:.2f} ms, ratio {took / beside:.2f}" if beside else ""
            print(f"{name} {kind}: Python {took:.2f} ms{ratio}")
    # A call on a larger output uses two threads by itself.
    text = output(100_000)
    one, eight = threads(text, 1, 200), threads(text, 8, 200)
    print(f"200 calls of 100 KB: 1 thread {one:.2f} s, 8 threads {eight:.2f} s, {one / eight:.2f} times as fast")


if __name__ == "__main__":
    sys.exit(main())
