#!/usr/bin/env python3
"""Do the servers grow? Many calls to one process, and how much memory it has after each tenth of them.

    scripts/soak.py OFFCUT [CALLS] [mcp] [proxy]      100,000 calls of each interface, unless told

`mcp`: `offcut mcp` over stdio, a call of `bash` that prints 100 lines, and now and then a large one that is cut and kept.
`proxy`: `offcut serve` in front of a model that answers at once, a conversation with a tool result of 100 KB that is new in
every request. Prints the resident memory and the processor time a call; fails where the second half of the calls added
more than 8 MiB, which is what caches and the allocator may still fill.
"""

from __future__ import annotations

import http.client
import http.server
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ALLOWED_MIB = 8


def resident_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settings(folder: str) -> dict[str, str]:
    Path(folder, ".git").mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": folder}


def soak(name: str, pid: int, calls: int, call) -> bool:
    """Calls so many times; whether memory stayed."""
    seen = []
    call(0)
    before = processor_seconds(pid)
    for tenth in range(10):
        for n in range(calls // 10):
            call(tenth * (calls // 10) + n + 1)
        seen.append(resident_mib(pid))
        print(f"{name}: after {(tenth + 1) * (calls // 10):7} calls {seen[-1]:7.1f} MiB", flush=True)
    each = (processor_seconds(pid) - before) / calls * 1000
    grown = seen[-1] - seen[4]
    print(f"{name}: {each:.2f} ms of a processor a call; the second half added {grown:+.1f} MiB")
    return grown <= ALLOWED_MIB


def mcp(program: str, calls: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(
            [program, "mcp"], cwd=folder, env=settings(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        numbers = iter(range(1, 10**9))

        def ask(method: str, **params) -> dict:
            request = {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": params}
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            while True:
                reply = json.loads(child.stdout.readline())
                if reply.get("id") == request["id"]:
                    return reply

        ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "soak", "version": "1"})
        child.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        child.stdin.flush()

        def call(n: int) -> None:
            lines = 20_000 if n % 1000 == 0 else 100
            reply = ask("tools/call", name="bash", arguments={"command": f"seq {n} {n + lines}"})
            if "result" not in reply or reply["result"].get("isError"):
                sys.exit(f"a call failed: {json.dumps(reply)[:500]}")

        try:
            return soak("mcp", child.pid, calls, call)
        finally:
            child.kill()


class Model(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same words."""

    protocol_version = "HTTP/1.1"
    # Head and body go out together: a body that waits for the head to be acknowledged waits 40 ms.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        usage = {"input_tokens": 10, "output_tokens": 1}
        words = [{"type": "text", "text": "ok"}]
        answer = json.dumps({"id": "m", "type": "message", "role": "assistant", "content": words, "model": "m", "usage": usage})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_: object) -> None:
        pass


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def proxy(program: str, calls: int) -> bool:
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(
            [program, "serve", "--listen", f"127.0.0.1:{port}", "--anthropic", f"http://127.0.0.1:{model.server_port}"],
            cwd=folder, env=settings(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        chance = random.Random(7)
        line = "2026-11-15T10:00:00Z INFO [worker-{}] app.module: handled request id={:x} in {} ms\n"
        body = "".join(line.format(n % 16, chance.getrandbits(40), n % 900) for n in range(1300))
        try:
            for _ in range(200):
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port)
                    connection.connect()
                    break
                except OSError:
                    time.sleep(0.05)
            else:
                sys.exit("the proxy does not listen")

            def call(n: int) -> None:
                use = {"type": "tool_use", "id": f"t{n}", "name": "bash", "input": {"command": "make"}}
                result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"run {n}\n{body}"}
                messages = [
                    {"role": "user", "content": f"build {n}"},
                    {"role": "assistant", "content": [use]},
                    {"role": "user", "content": [result]},
                ]
                request = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages})
                headers = {"content-type": "application/json", "x-api-key": "k"}
                connection.request("POST", "/v1/messages", request, headers)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    sys.exit(f"the proxy answered {answer.status}")

            return soak("proxy", child.pid, calls, call)
        finally:
            child.kill()
            model.shutdown()


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = str(Path(sys.argv[1]).resolve())
    rest = sys.argv[2:]
    calls = next((int(word) for word in rest if word.isdigit()), 100_000)
    ways = {"mcp": mcp, "proxy": proxy}
    chosen = [word for word in rest if word in ways] or list(ways)
    if unknown := [word for word in rest if not word.isdigit() and word not in ways]:
        sys.exit(f"no such interface: {unknown[0]} (known: {', '.join(ways)})")
    grew = [way for way in chosen if not ways[way](program, calls)]
    if grew:
        sys.exit(f"memory grew: {', '.join(grew)}")


if __name__ == "__main__":
    main()
