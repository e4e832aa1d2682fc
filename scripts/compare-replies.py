#!/usr/bin/env python3
"""Lists the replies in which two builds of Offcut differ.

  scripts/compare-replies.py OLD NEW CORPUS... [--limit N]... [--above BYTES] [--below BYTES] [--diff] [--cache DIR]

OLD and NEW are `offcut` binaries. A corpus is a folder with a manifest.jsonl and the files that it names. Every output
is piped through both binaries at every limit (2000 and 8000 characters unless told), with the tool and the command
that its manifest gives and without a store. Ids and times are not compared. Exits with 1 where something differs.
"""

import argparse
import difflib
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

VARYING = [
    (re.compile(rb"art_\d+_[a-zA-Z0-9]+"), b"art_ID"),
    (re.compile(rb"\[offcut [0-9a-z]{4,16}:"), b"[offcut ID:"),
    (re.compile(rb"\[[0-9a-z]{4,16} (b?\d+-\d+)"), rb"[ID \1"),
    (re.compile(rb"(id=\"|offcut show |offcut grep )[0-9a-z]{4,16}\b"), rb"\1ID"),
    (re.compile(rb"^Created: .*$", re.M), b"Created: TIME"),
]


def items(corpus):
    """The outputs of a corpus: name, tool, command and bytes."""
    for line in (corpus / "manifest.jsonl").read_text().splitlines():
        if line.strip():
            entry = json.loads(line)
            data = (corpus / entry["file"]).read_bytes()
            if entry.get("compression") == "gzip":
                data = gzip.decompress(data)
            elif entry.get("compression"):
                continue
            yield f"{corpus.name}/{entry['id']}", entry.get("tool", ""), entry.get("command", ""), data


def reply(binary, limit, tool, command, data):
    """What the binary prints, ids and times left out."""
    call = [binary, "--store", "none", "--limit", str(limit)]
    call += ["--tool", tool] if tool else []
    call += ["--args", command] if command else []
    done = subprocess.run(call, input=data, capture_output=True, timeout=300)
    printed = done.stdout + f"\n[exit {done.returncode}]\n".encode()
    for pattern, name in VARYING:
        printed = pattern.sub(name, printed)
    return printed


class Cache:
    """Replies of a binary that were made before, by the binary's own bytes."""

    def __init__(self, directory, binary):
        self.directory = None
        if directory:
            digest = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:16]
            self.directory = pathlib.Path(directory) / digest
            self.directory.mkdir(parents=True, exist_ok=True)

    def get(self, name, make):
        if self.directory is None:
            return make()
        file = self.directory / name.replace("/", "_")
        if not file.exists():
            file.write_bytes(make())
        return file.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("corpora", nargs="+", type=pathlib.Path, metavar="CORPUS")
    parser.add_argument("--limit", action="append", type=int, help="characters of a reply; may be given several times")
    parser.add_argument("--above", type=int, default=-1, help="only outputs of more bytes than this")
    parser.add_argument("--below", type=int, default=1 << 62, help="only outputs of fewer bytes than this")
    parser.add_argument("--diff", action="store_true", help="print how the replies differ")
    parser.add_argument("--cache", help="a folder where the replies of OLD are kept for the next time")
    parser.add_argument("--jobs", type=int, default=2, help="outputs at the same time")
    args = parser.parse_args()
    cache = Cache(args.cache, args.old)

    def compare(task):
        (name, tool, command, data), limit = task
        old = cache.get(f"{name}@{limit}", lambda: reply(args.old, limit, tool, command, data))
        return name, limit, len(data), old, reply(args.new, limit, tool, command, data)

    wanted = (item for corpus in args.corpora for item in items(corpus) if args.above < len(item[3]) < args.below)
    tasks = ((item, limit) for item in wanted for limit in args.limit or [2000, 8000])
    compared = different = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for name, limit, size, old, new in pool.map(compare, tasks):
            compared += 1
            if old == new:
                continue
            different += 1
            print(f"{name} at {limit} ({size} bytes)")
            if args.diff:
                lines = [text.decode(errors="replace").splitlines() for text in (old, new)]
                print("\n".join(difflib.unified_diff(*lines, "old", "new", n=1, lineterm="")))
    print(f"{different} of {compared} replies differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
