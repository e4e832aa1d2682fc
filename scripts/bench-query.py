#!/usr/bin/env python3
"""Group-by over a large NDJSON, beside DuckDB and jq: time and memory of each.

    scripts/bench-query.py target/release/offcut [--mib 1024] [--file FILE] [--rounds 3]

Makes the file (logs of services: eight members a record, about 220 bytes), keeps it as an artifact, and lets each program
count the records of each level and add up a number. Prints the best time of the rounds and the greatest memory. DuckDB
comes from PyPI (`pip install duckdb`), jq from the system; what is missing is left out, and said.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SQL = "SELECT level, count(*), sum(duration_ms) FROM rows GROUP BY level ORDER BY 2 DESC"


def make(path: Path, size: int) -> None:
    chance = random.Random(1)
    levels = ["info"] * 80 + ["warn"] * 12 + ["error"] * 6 + ["debug", "fatal"]
    lines = []
    for number in range(20_000):
        record = {
            "time": f"2024-05-{number % 28 + 1:02}T{number % 24:02}:{number % 60:02}:07.{number % 1000:03}Z",
            "level": chance.choice(levels),
            "service": f"service-{chance.randrange(40)}",
            "status": chance.choice([200, 200, 200, 204, 301, 404, 500]),
            "duration_ms": round(chance.expovariate(1 / 40), 2),
            "user": {"id": chance.randrange(10**6), "plan": chance.choice(["free", "team"])},
            "path": f"/api/v1/items/{chance.randrange(10**5)}",
            "message": f"request {chance.getrandbits(64):016x} done: \"ok\"",
        }
        lines.append(json.dumps(record) + "\n")
    with path.open("w") as file:
        # An artifact has at most 1 GiB by default, so the file stays below.
        while file.tell() + sum(map(len, lines)) < size:
            chance.shuffle(lines)
            file.writelines(lines)


def measured(command: list[str], environment: dict[str, str] | None = None) -> tuple[float, float, str]:
    """The seconds, the MiB of memory, and what was printed."""
    with tempfile.TemporaryFile("w+") as out:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed: {process.returncode} {text[:300]}")
    return took, usage.ru_maxrss / 1024, text


def best(name: str, command: list[str], rounds: int, environment: dict[str, str] | None = None) -> None:
    runs = [measured(command, environment) for _ in range(rounds)]
    took, memory = min(run[0] for run in runs), max(run[1] for run in runs)
    print(f"{name:28} {took:7.2f} s {memory:8.0f} MiB   {' | '.join(runs[0][2].split(chr(10))[:3])}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("offcut", type=Path)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--file", type=Path, help="keep the file here, and take it if it is there")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder) / "records.ndjson"
        if not path.exists():
            make(path, arguments.mib * 1024 * 1024)
        print(f"{path.stat().st_size / 2**20:.0f} MiB, {os.cpu_count()} processors")
        environment = {**os.environ, "OFFCUT_ARTIFACTS__STORAGE_PATH": f"{folder}/store", "HOME": folder}
        program = str(arguments.offcut.resolve())
        with path.open("rb") as file:
            kept = subprocess.run([program, "--session", "bench"], stdin=file, capture_output=True, env=environment, cwd=folder)
        if b"offcut " not in kept.stdout[:100]:
            sys.exit(f"nothing was kept: {kept.stdout[-500:]!r} {kept.stderr[-500:]!r}")
        os.chdir(folder)
        query = [program, "artifacts", "query", "last", SQL, "--session", "bench"]
        best("offcut query", query, arguments.rounds, environment)
        if importlib.util.find_spec("duckdb"):
            sql = SQL.replace("rows", f"read_json('{path.resolve()}', format='newline_delimited')")
            script = f"import duckdb; print(duckdb.sql({sql!r}).fetchall())"
            best("DuckDB", [sys.executable, "-c", script], arguments.rounds)
        else:
            print("DuckDB: not installed")
        if shutil.which("jq"):
            reduce = "reduce inputs as $r ({}; .[$r.level] |= [(.[0] // 0) + 1, (.[1] // 0) + $r.duration_ms])"
            best("jq", ["jq", "-nc", reduce, str(path.resolve())], 1)
        else:
            print("jq: not installed")


if __name__ == "__main__":
    main()
