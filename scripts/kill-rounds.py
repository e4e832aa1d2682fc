#!/usr/bin/env python3
"""Kills Offcut at random moments, and looks whether anything was lost.

    scripts/kill-rounds.py BINARY [ROUNDS] [SEED]

Each round starts one interface (the filter, `run`, `mcp`, `wrap`, `serve`), sends SIGKILL, SIGTERM or SIGHUP to it after
a random time, and checks:

- every artifact that was announced can be read, and holds the lines that it stands for, from the first one on;
- SIGTERM and SIGHUP to the filter and to `run` still get a reply (or the artifact that it would have named);
- what had come 2 seconds ($KILL_SLACK) before a SIGKILL is listed as unfinished, if no reply came before it;
- nothing hangs.

Exits with 1 and says which rounds failed, with their seeds.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

# An output is saved a few times a second; a busy machine takes longer.
SLACK = float(os.environ.get("KILL_SLACK", "2"))
PATIENCE = 60
HANDLE = re.compile(r"art_[0-9]+_[a-z0-9]+|\[offcut ([a-z0-9]{4,16}):")
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]


# What was looked at, so that a run that has checked nothing does not pass for a good one.
CHECKED = {"handles read": 0, "replies": 0, "unfinished": 0}


class Lost(Exception):
    """Something that should be there is not."""


def lines(first, last):
    return "".join(f"line {n} of what a tool has printed\n" for n in range(first, last + 1))


class Project:
    """A project of its own, and the binary in it."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        os.mkdir(os.path.join(folder, ".git"))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("OFFCUT_")}
        self.env.update(HOME=folder, OFFCUT_REPLY="always")

    def start(self, *arguments, **how):
        how.setdefault("stdin", subprocess.PIPE)
        return subprocess.Popen(
            [self.binary, *arguments], cwd=self.folder, env=self.env, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True, **how,
        )

    def call(self, *arguments):
        done = subprocess.run([self.binary, *arguments], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE, text=True)
        return done.stdout

    def listed(self):
        return json.loads(self.call("artifacts", "list", "--json") or "[]")

    def content(self, handle):
        path = os.path.join(self.folder, "exported")
        self.call("artifacts", "export", "--force", handle, path)
        if not os.path.exists(path):
            raise Lost(f"{handle} was announced and cannot be read")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        os.remove(path)
        return text


def handles(text):
    return {found.group(1) or found.group(0) for found in HANDLE.finditer(text)}


def is_true(text):
    """Whether a text is made of our lines from the first on, the last of which may be cut short."""
    count = text.count("\n")
    return lines(1, count + 1).startswith(text)


def check_handles(project, text):
    for handle in handles(text):
        content = project.content(handle)
        CHECKED["handles read"] += 1
        if not is_true(content):
            raise Lost(f"{handle} holds something else: {content[:80]!r}…")


def check_unfinished(project, needed):
    """At least `needed` lines are in an artifact."""
    counts = [info["lines"] for info in project.listed()]
    if needed > 0 and max(counts, default=0) < needed:
        raise Lost(f"{needed} lines had come, and only {counts} are kept")
    CHECKED["unfinished"] += len(counts)
    for info in project.listed():
        if not is_true(project.content(info["id"])):
            raise Lost(f"{info['id']} holds something else")


class Producer(threading.Thread):
    """Writes lines at random paces, and remembers when."""

    def __init__(self, pipe, rng):
        super().__init__(daemon=True)
        self.pipe, self.rng, self.written = pipe, rng, [(time.monotonic(), 0)]

    def run(self):
        count = 0
        try:
            for _ in range(self.rng.choice([1, 5, 40, 400])):
                more = self.rng.choice([1, 10, 1000, 8000])
                self.pipe.write(lines(count + 1, count + more).encode())
                self.pipe.flush()
                count += more
                self.written.append((time.monotonic(), count))
                time.sleep(self.rng.random() * 0.05)
            time.sleep(PATIENCE)
        except (BrokenPipeError, OSError, ValueError):
            pass

    def before(self, moment):
        return max((count for at, count in self.written if at <= moment), default=0)


def until_ready(process):
    """Waits until the process takes SIGTERM for itself."""
    since = time.monotonic()
    while time.monotonic() - since < PATIENCE:
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                mask = next(line for line in status if line.startswith("SigCgt:")).split()[1]
            if int(mask, 16) & 1 << (signal.SIGTERM - 1):
                return
        except (OSError, StopIteration):
            return
        time.sleep(0.002)


def end(process, number):
    moment = time.monotonic()
    process.send_signal(number)
    return moment


def finish(process):
    """What a process has printed; whoever it left behind does not hold us up."""
    try:
        out, _ = process.communicate(timeout=PATIENCE)
        return out.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise Lost("it hangs") from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def judge(project, out, number, needed):
    check_handles(project, out)
    CHECKED["replies"] += bool(out)
    if number == signal.SIGKILL:
        if not out:
            check_unfinished(project, needed)
    elif needed > 0 and not out:
        raise Lost("it was asked to end and said nothing")


def filter_round(project, rng, number):
    process = project.start()
    until_ready(process)
    producer = Producer(process.stdin, rng)
    producer.start()
    time.sleep(rng.random() * rng.choice([0.05, 0.5, 4]))
    moment = end(process, number)
    process.stdin = None
    out = finish(process)
    judge(project, out, number, producer.before(moment - SLACK) if number == signal.SIGKILL else producer.before(moment - 0.5))


PRODUCER = """
import sys, time, random
rng = random.Random(int(sys.argv[1])); count = 0
for _ in range(rng.choice([1, 5, 40, 400])):
    more = rng.choice([1, 10, 1000, 8000])
    sys.stdout.write("".join(f"line {n} of what a tool has printed\\n" for n in range(count + 1, count + more + 1)))
    sys.stdout.flush(); count += more
    with open("written", "a") as file: file.write(f"{time.monotonic()} {count}\\n")
    time.sleep(rng.random() * 0.05)
time.sleep(60)
"""


def run_round(project, rng, number):
    process = project.start("run", "--", sys.executable, "-c", PRODUCER, str(rng.randrange(1 << 30)), stdin=subprocess.DEVNULL)
    until_ready(process)
    time.sleep(rng.random() * rng.choice([0.1, 1, 4]))
    moment = end(process, number)
    out = finish(process)
    written = os.path.join(project.folder, "written")
    rows = [row.split() for row in open(written, encoding="ascii")] if os.path.exists(written) else []
    slack = SLACK if number == signal.SIGKILL else 0.5
    needed = max((int(row[1]) for row in rows if len(row) == 2 and float(row[0]) <= moment - slack), default=0)
    judge(project, out, number, needed)


def messages(count):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "rounds", "version": "1"}}
    yield {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    yield {"jsonrpc": "2.0", "method": "notifications/initialized"}
    command = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i of what a tool has printed; done"
    for number in range(1, count + 1):
        call = {"name": "bash", "arguments": {"command": command}}
        yield {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}


def mcp_round(project, rng, number, wrapped=False):
    server = ("mcp", "--session", "default")
    process = project.start(*(("wrap", "--", project.binary, *server) if wrapped else server))
    try:
        for message in messages(6):
            process.stdin.write((json.dumps(message) + "\n").encode())
        process.stdin.flush()
    except BrokenPipeError:
        pass
    time.sleep(rng.random() * rng.choice([0.1, 1, 4]))
    end(process, number)
    out = finish(process)
    # Only whole messages were announced.
    whole = out[: out.rfind("\n") + 1]
    for message in whole.splitlines():
        json.loads(message)
    check_handles(project, whole)


def wrap_round(project, rng, number):
    mcp_round(project, rng, number, wrapped=True)


class Upstream(BaseHTTPRequestHandler):
    """A model's provider that remembers what it was asked."""

    asked = []

    def do_POST(self):
        Upstream.asked.append(self.rfile.read(int(self.headers.get("content-length", 0))).decode())
        body = json.dumps({"id": "x", "object": "chat.completion", "choices": []}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve_round(project, rng, number):
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    Upstream.asked = []
    address = f"127.0.0.1:{rng.randrange(20000, 32000)}"
    process = project.start("serve", "--listen", address, "--openai", f"http://127.0.0.1:{upstream.server_port}",
                            stdin=subprocess.DEVNULL)

    def ask(at):
        call = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]}
        body = {"model": "m", "messages": [call, {"role": "tool", "tool_call_id": "c", "content": lines(1, 900 + at)}]}
        request = Request(f"http://{address}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
        since = time.monotonic()
        while time.monotonic() - since < 5:
            try:
                urlopen(request, timeout=10).read()
                return
            except (OSError, HTTPException):
                time.sleep(0.05)

    askers = [threading.Thread(target=ask, args=(at,), daemon=True) for at in range(8)]
    for asker in askers:
        asker.start()
    time.sleep(rng.random() * rng.choice([0.1, 0.5, 2]))
    end(process, number)
    finish(process)
    upstream.shutdown()
    for body in list(Upstream.asked):
        check_handles(project, body)


ROUNDS = [filter_round, filter_round, run_round, run_round, mcp_round, wrap_round, serve_round]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    failed, counts, begun = [], {}, time.monotonic()
    for at in range(rounds):
        rng = random.Random(seed + at)
        play, number = rng.choice(ROUNDS), rng.choice(SIGNALS)
        name = f"{play.__name__.removesuffix('_round')} {signal.Signals(number).name}"
        counts[name] = counts.get(name, 0) + 1
        # What a killed program had started may still write while the folder is removed.
        with tempfile.TemporaryDirectory(prefix="offcut-rounds-", ignore_cleanup_errors=True) as folder:
            try:
                play(Project(binary, folder), rng, number)
            except Lost as lost:
                failed.append(f"round {at} (seed {seed + at}), {name}: {lost}")
                print(failed[-1], flush=True)
    took = time.monotonic() - begun
    print(", ".join(f"{what} {count}" for what, count in CHECKED.items()))
    print(f"{rounds} rounds, {len(failed)} failed, {took:.0f} s: " + ", ".join(f"{n} {c}" for n, c in sorted(counts.items())))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
