#!/usr/bin/env python3
"""Cuts the power in a simulation, and looks whether anything is given out that is not what was kept.

    scripts/power-cut.py OFFCUT [ROUNDS] [SEED]

Each round keeps three outputs, traces the last call (`strace`), and takes from the trace what was not synced when its reply
was written: the data of files, and their names. Then the disk is made to look as a loss of power may leave it: a file that
was not synced is whole, empty, torn at a page or has pages of zeros; a name that was not synced is the new one, the old one
or none. What was kept before that call was on the disk. Checked, on several such disks a round:

- `export`, `show` and `grep` give what was kept, or an error; never anything else, and no panic;
- what was kept before is whole;
- with `durability = "sync"`, and behind `offcut mcp`, which syncs, what was announced is whole;
- the store can be used: another output is kept and read.

Needs strace. Exits with 1 and says which rounds failed, with their seeds.
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
from collections import Counter
from pathlib import Path

PAGE = 4096
DISKS = 4
PATIENCE = 120
CALLS = "openat,write,pwrite64,writev,pwritev,ftruncate,rename,renameat,renameat2,unlink,unlinkat,fsync,fdatasync,mkdirat"
HANDLE = re.compile(r"\[offcut ([a-z0-9]{4,16}):")
SEEN: Counter[str] = Counter()


class Wrong(Exception):
    """Something was given out that was not kept, or something is not there that should be."""


def printed(rng: random.Random) -> str:
    """An output that is large enough to be kept."""
    count = rng.choice([600, 3000, 40_000, 150_000])
    kind = rng.choice(["log", "json", "csv"])
    if kind == "json":
        return json.dumps([{"id": n, "name": f"item {n}", "size": n * 37 % 1000} for n in range(count)], indent=1) + "\n"
    if kind == "csv":
        return "id,name,size\n" + "".join(f"{n},item {n},{n * 37 % 1000}\n" for n in range(count))
    return "".join(f"12:00:{n % 60:02} worker {n * 7919 % count} has done step {n}\n" for n in range(count))


class Project:
    """A project of its own, and the program in it."""

    def __init__(self, program: str, folder: str, durability: str):
        self.program, self.folder = program, folder
        Path(folder, ".git").mkdir(exist_ok=True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("OFFCUT_")}
        self.env.update(HOME=folder)
        if durability != "mcp":
            self.env.update(OFFCUT_ARTIFACTS__DURABILITY=durability)

    def call(self, *arguments: str, text: str = "", under: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [*under, self.program, *arguments], cwd=self.folder, env=self.env, input=text.encode(), capture_output=True, timeout=PATIENCE
        )
        if b"panicked" in done.stderr or done.returncode < 0 or done.returncode == 101:
            raise Wrong(f"{arguments}: {done.returncode}, {done.stderr.decode(errors='replace')}")
        return done

    def keep(self, text: str, under: tuple[str, ...] = ()) -> str:
        """Keeps an output; its handle."""
        done = self.call(text=text, under=under)
        return announced(done.stdout.decode(), done.stderr.decode())

    def keep_by_server(self, text: str, under: tuple[str, ...]) -> str:
        """The same by `offcut mcp` and its tool `bash`."""
        Path(self.folder, "printed").write_text(text)
        messages = [
            {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "bash", "arguments": {"command": "cat printed"}}},
        ]
        child = subprocess.Popen(
            [*under, self.program, "mcp"], cwd=self.folder, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        child.stdin.writelines(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)
        child.stdin.flush()
        # Closing its input would take the call back.
        reply = next((reply for reply in map(json.loads, child.stdout) if reply.get("id") == 2), None)
        child.communicate(timeout=PATIENCE)
        if reply is None or "result" not in reply:
            raise Wrong(f"`offcut mcp` gave no result: {reply}")
        return announced(reply["result"]["content"][0]["text"], "")


def announced(reply: str, errors: str) -> str:
    found = HANDLE.match(reply)
    if not found:
        raise Wrong(f"nothing was announced: {reply[:200]!r} {errors}")
    return found.group(1)


class Disk:
    """What a trace says about files and names that were not synced when the last reply was written."""

    def __init__(self, trace: str, folder: str):
        self.files: set[str] = set()  # by their last name
        self.names: list[tuple[str | None, str]] = []  # renamed from (none: created), to
        self.syncs = 0
        self.kept = f"{folder}/.offcut/"
        operations = list(self.completed(trace))
        replies = [index for index, line in enumerate(operations) if re.match(r"write\(\d+<pipe:.*\[offcut ", line)]
        if not replies:
            raise Wrong("the trace does not show the reply")
        for line in operations[: replies[-1]]:
            self.take(line)

    @staticmethod
    def completed(trace: str):
        """The calls in the order in which they returned."""
        begun: dict[str, str] = {}
        for line in trace.splitlines():
            process, _, call = line.partition(" ")
            call = call.strip()
            if call.endswith("<unfinished ...>"):
                begun[process] = call.removesuffix("<unfinished ...>").rstrip()
            elif call.startswith("<... "):
                yield begun.pop(process, "") + call.split("resumed>", 1)[-1]
            elif not call.startswith(("+++", "---")):
                yield call

    def take(self, line: str) -> None:
        name, _, rest = line.partition("(")
        if " = -1 " in rest:
            return
        paths = re.findall(r"<(/[^>]*)>", rest)
        if name in ("write", "pwrite64", "writev", "pwritev", "ftruncate") and paths and paths[0].startswith(self.kept):
            self.files.add(paths[0])
        elif name == "openat" and "O_CREAT" in rest and paths[-1].startswith(self.kept):
            # Whether it was there before is not said; a name that is none would be one that is lost again.
            if "O_EXCL" in rest:
                self.names.append((None, paths[-1]))
        elif name.startswith("rename"):
            folders, (old, new) = paths, re.findall(r'"([^"]*)"', rest)[:2]
            old = old if old.startswith("/") else f"{folders[0]}/{old}"
            new = new if new.startswith("/") else f"{folders[-1]}/{new}"
            if old in self.files:
                self.files.remove(old)
                self.files.add(new)
            self.names.append((old, new))
        elif name.startswith("unlink"):
            gone = paths[0] + "/" + re.findall(r'"([^"]*)"', rest)[0] if paths else re.findall(r'"([^"]*)"', rest)[0]
            self.files.discard(gone)
            self.names = [(old, new) for old, new in self.names if new != gone]
        elif name in ("fsync", "fdatasync") and paths:
            self.syncs += 1
            self.files.discard(paths[0])
            # A folder that is synced has its names.
            self.names = [(old, new) for old, new in self.names if os.path.dirname(new) != paths[0]]

    def lose_power(self, copy: str, folder: str, before: dict[str, int], rng: random.Random) -> None:
        """Makes `copy` of the folder look as the disk may after it."""
        for file in sorted(self.files):
            path = Path(copy + file.removeprefix(folder))
            if path.exists():
                damage(path, before.get(file.removeprefix(folder), 0), rng)
        for old, new in reversed(self.names):
            path = Path(copy + new.removeprefix(folder))
            fate = rng.choice(["new", "new", "old", "none"])
            if not path.exists() or fate == "new":
                continue
            if fate == "old" and old is not None:
                path.rename(copy + old.removeprefix(folder))
            else:
                path.unlink()


def damage(path: Path, synced: int, rng: random.Random) -> None:
    """What stood behind the first `synced` bytes was not on the disk, or not all of it."""
    data = bytearray(path.read_bytes())
    pages = range(synced // PAGE, (len(data) + PAGE - 1) // PAGE)
    match rng.choice(["whole", "empty", "torn", "zeros", "zeros"]):
        case "empty":
            del data[synced:]
        case "torn" if pages:
            del data[max(synced, rng.choice(pages) * PAGE) :]
        case "zeros":
            for page in rng.sample(pages, min(len(pages), rng.choice([1, 1, 3, len(pages)]))):
                start, end = max(synced, page * PAGE), min(len(data), (page + 1) * PAGE)
                data[start:end] = bytes(max(0, end - start))
    path.write_bytes(data)


def check(project: Project, handle: str, text: str, must: bool, rng: random.Random) -> None:
    """What is read of an artifact is what was kept, or nothing."""
    target = Path(project.folder, "exported")
    done = project.call("artifacts", "export", "--force", handle, str(target))
    if done.returncode == 0:
        SEEN["whole"] += 1
        if target.read_text(errors="replace") != text:
            raise Wrong(f"{handle}: export gave something else")
        target.unlink()
    elif must:
        raise Wrong(f"{handle} is lost: {done.stderr.decode()}")
    else:
        SEEN["damaged, and said so" if "damaged" in done.stderr.decode() else "gone, and said so"] += 1
        if target.exists():
            raise Wrong(f"{handle}: export failed and left a file")
    lines = text.split("\n")
    first = rng.randrange(1, len(lines))
    done = project.call("show", handle, f"{first}-{first + 30}")
    shown = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        SEEN["parts shown"] += 1
        expected = "\n".join(lines[first - 1 : first + 30])
        if shown.rstrip("\n") != expected.rstrip("\n"):
            raise Wrong(f"{handle}: lines {first} to {first + 30} are others: {shown[:300]!r}")
    elif must:
        raise Wrong(f"{handle}: lines {first} cannot be read: {done.stderr.decode()}")
    word = re.escape(lines[first - 1].strip())
    done = project.call("grep", handle, word)
    found = re.findall(r"^(\d+): (.*)$", done.stdout.decode(errors="replace"), re.M)
    for number, line in found:
        if int(number) > len(lines) or lines[int(number) - 1] != line:
            raise Wrong(f"{handle}: grep gave another line {number}: {line!r}")


def round_of(program: str, seed: int) -> None:
    rng = random.Random(seed)
    durability = rng.choice(["rename", "rename", "sync", "mcp"])
    with tempfile.TemporaryDirectory() as base:
        base = os.path.realpath(base)
        folder = os.path.join(base, "project")
        os.mkdir(folder)
        project = Project(program, folder, durability)
        kept = []
        for _ in range(2):
            text = printed(rng)
            kept.append((project.keep(text), text))
        before = {str(path).removeprefix(folder): path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()}
        text, trace = printed(rng), os.path.join(base, "trace")
        under = ("strace", "-f", "-y", "-s", "256", "-e", f"trace={CALLS}", "-o", trace)
        last = (project.keep_by_server if durability == "mcp" else project.keep)(text, under)
        disk = Disk(Path(trace).read_text(errors="replace"), folder)
        SEEN[f"files not synced ({durability})"] += len(disk.files)
        SEEN[f"syncs ({durability})"] += disk.syncs
        for number in range(DISKS):
            copy = os.path.join(base, f"disk-{number}")
            shutil.copytree(folder, copy, symlinks=True)
            disk.lose_power(copy, folder, before, rng)
            image = Project(program, copy, durability)
            SEEN["disks"] += 1
            for handle, content in kept:
                check(image, handle, content, True, rng)
            check(image, last, text, durability != "rename", rng)
            another = printed(rng)
            check(image, image.keep(another), another, True, rng)
            if image.call("artifacts", "list", "--json").returncode != 0:
                raise Wrong("the artifacts cannot be listed")


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if shutil.which("strace") is None:
        sys.exit("strace is not installed: without it nobody knows what was synced")
    program = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    first = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**9)
    failed = []
    for seed in range(first, first + rounds):
        try:
            round_of(program, seed)
        except Wrong as why:
            failed.append(seed)
            print(f"seed {seed}: {why}", flush=True)
    print(f"{rounds - len(failed)} of {rounds} rounds; " + ", ".join(f"{what}: {count}" for what, count in sorted(SEEN.items())))
    if not SEEN["damaged, and said so"]:
        print("no disk was damaged: nothing was tried")
    return 1 if failed or not SEEN["damaged, and said so"] else 0


if __name__ == "__main__":
    sys.exit(main())
