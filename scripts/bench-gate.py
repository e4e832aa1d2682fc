#!/usr/bin/env python3
"""Has this tree become slower? Counts the instructions of a dozen typical calls, before and now.

    scripts/bench-gate.py [BEFORE [NOW]]      each a binary, or a commit that is built; the last tag, and the working tree

Fails where a call takes over 3 % more instructions than before. Counted by valgrind's callgrind, so that a busy machine does
not matter; what it cannot see is time that is spent waiting. A first build of a commit takes some minutes, and is kept in
target/gate.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = 1.03


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"neither a binary nor a commit that git knows: {done.stderr.strip()}")
    return done.stdout.strip()


def built(commit: str) -> Path:
    """The binary of a commit."""
    sha = git("rev-parse", "--verify", f"{commit}^{{commit}}")
    kept = ROOT / "target/gate" / sha
    if not (kept / "offcut").exists():
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "tree"
            git("worktree", "add", "--quiet", "--detach", str(tree), sha)
            try:
                build(tree, ROOT / "target/gate/build")
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / "target/gate/build/release/offcut", kept / "offcut")
            finally:
                git("worktree", "remove", "--force", str(tree))
    return kept / "offcut"


def build(tree: Path, target: Path) -> Path:
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", str(target), "--bin", "offcut"], cwd=tree, check=True)
    return target / "release/offcut"


def binary(named: str) -> Path:
    path = Path(named)
    return path.resolve() if path.is_file() else built(named)


# ── The calls ────────────────────────────────────────────────────────────────────────────────────────────────────────


def log(lines: int) -> str:
    chance = random.Random(7)
    levels = ["INFO"] * 80 + ["DEBUG"] * 17 + ["WARN"] * 2 + ["ERROR"]
    return "".join(
        f"2026-11-15T10:{n // 60 % 60:02}:{n % 60:02}Z {chance.choice(levels)} [worker-{n % 16}] app.module{n % 37}: handled "
        f"request id={chance.getrandbits(40):x} path=/api/v1/items/{n % 1000} in {chance.randint(1, 900)} ms\n"
        for n in range(lines)
    )


def build_log(lines: int) -> str:
    quiet = "".join(f"[{n}/{lines}] Compiling src/module_{n:04}.c -> build/module_{n:04}.o\n" for n in range(lines))
    wrong = "src/main.c:41:9: error: 'total' undeclared (first use in this function)\n   41 |     total += 1;\n      |     ^~~~~\n"
    return quiet + wrong + "make: *** [Makefile:12: build/main.o] Error 1\n"


def records(count: int) -> list[dict]:
    return [{"id": n, "name": f"account-{n * 7919 % 100003}", "state": "active", "balance": n * 31 % 9700} for n in range(count)]


def dense(size: int) -> str:
    chance = random.Random(11)
    return "".join(chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") for _ in range(size))


def calls() -> list[tuple[str, list[str], str]]:
    """Name, arguments, standard input."""
    event = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": build_log(400)}, "cwd": "."}
    return [
        ("echo hi", [], "hi\n"),
        ("a log of 1 KB", [], log(8)),
        ("a log of 64 KB", [], log(500)),
        ("a log of 1 MB", [], log(8000)),
        ("a log of 1 MB, no store", ["--store", "none"], log(8000)),
        ("a failed build", [], build_log(1500)),
        ("JSON", [], json.dumps(records(4000))),
        ("NDJSON", [], "\n".join(json.dumps(record) for record in records(4000)) + "\n"),
        ("CSV", [], "id,name,state\n" + "".join(f"{n},account-{n * 7919},active\n" for n in range(8000))),
        ("one long word", [], dense(500_000)),
        ("redact", ["redact"], log(2000)),
        ("a hook", ["hook", "claude"], json.dumps(event)),
    ]


def instructions(program: Path, arguments: list[str], given: str) -> int | None:
    """How many instructions the call takes; nothing where the program does not know the command."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".git").mkdir()
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), *arguments]
        env = {"PATH": os.environ["PATH"], "HOME": folder}
        done = subprocess.run(command, input=given.encode(), cwd=folder, env=env, capture_output=True, check=False)
    counted = re.search(rb"Collected : (\d+)", done.stderr)
    if b"unrecognized subcommand" in done.stderr:
        return None
    if done.returncode != 0 or not counted:
        sys.exit(f"`{program.name} {' '.join(arguments)}` failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return int(counted.group(1))


def main() -> None:
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed: nothing was counted")
    before = binary(sys.argv[1] if len(sys.argv) > 1 else git("describe", "--tags", "--abbrev=0"))
    now = binary(sys.argv[2]) if len(sys.argv) > 2 else build(ROOT, ROOT / "target")
    slower = []
    print(f"{'millions of instructions':26}{'before':>10}{'now':>10}{'ratio':>8}")
    for name, arguments, given in calls():
        was, is_now = (instructions(program, arguments, given) for program in (before, now))
        if was is None or is_now is None:
            print(f"{name:26}{'not in both':>28}")
            continue
        ratio = is_now / was
        print(f"{name:26}{was / 1e6:10.1f}{is_now / 1e6:10.1f}{ratio:8.2f}", flush=True)
        if ratio > ALLOWED:
            slower.append(name)
    if slower:
        sys.exit(f"slower by over 3 %: {', '.join(slower)}")


if __name__ == "__main__":
    main()
