#!/usr/bin/env python3
"""Several processes on one bucket behind one address: does any of them answer any session, also after one was killed?

    e2e/machines.py --offcut target/debug/offcut [--calls 10000] [--clients 64]

Starts a real S3 on loopback (scripts/s3-server.sh), then

1. two `offcut mcp --listen` behind a TCP balancer that hands connections out in turn. CLIENTS clients shake hands and make
   CALLS calls between them: `bash` with an output that is cut and kept, and `get_artifact` of a line of what the client
   was told of before. After a third of the calls one process is killed with SIGKILL and started again, after two thirds
   the other one is told to end, and started again. A request whose connection broke is sent again, as clients do. At
   the end every handle that was announced is opened through the balancer and compared with what the command printed;
2. two `offcut serve` in front of a provider that keeps the bodies it gets: a conversation of many turns, each sent to
   both processes, must be passed on as the same bytes, and what was cut out of it must open by either.

The program needs the feature `cloud`. OFFCUT_MACHINES_CALLS stands for --calls. Prints `skipped: …` and succeeds where no
S3 server can be had.
"""

from __future__ import annotations

import argparse
import asyncio
import http.server
import itertools
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60  # seconds for one request, with all its attempts


class Failed(Exception):
    """Something was lost, or answered wrongly."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Process:
    """One process of Offcut, which can be killed and started again at the same port."""

    def __init__(self, arguments: list[str], environment: dict[str, str], log: Path) -> None:
        self.port = free_port()
        self.arguments, self.environment, self.log = arguments, environment, log
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        listen = [*self.arguments, "--listen", f"127.0.0.1:{self.port}"]
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(listen, env=self.environment, stdout=log, stderr=log, cwd=self.log.parent)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise Failed(f"did not start: {' '.join(listen)}: {self.log.read_text()[-2000:]}")

    def end(self, how: signal.Signals) -> None:
        if self.running and self.running.poll() is None:
            self.running.send_signal(how)
            try:
                self.running.wait(20)
            except subprocess.TimeoutExpired:
                self.running.kill()
                self.running.wait(5)


class Balancer:
    """Passes each connection on to the next process; one that takes no connection is passed over."""

    def __init__(self, processes: list[Process]) -> None:
        self.turn = itertools.cycle(processes)
        self.count = len(processes)
        self.port = 0

    async def start(self) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=256)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for _ in range(self.count):
                try:
                    there = await asyncio.open_connection("127.0.0.1", next(self.turn).port)
                    break
                except OSError:
                    continue
            else:
                return
            await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))
        finally:
            writer.close()


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def post(port: int, headers: dict[str, str], body: dict) -> tuple[int, dict[str, str], str]:
    """One request over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        content = json.dumps(body).encode()
        lines = {
            "host": f"127.0.0.1:{port}",
            "connection": "close",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(content)),
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + content)
        await writer.drain()
        raw = await reader.read()
    finally:
        writer.close()
    head, parted, rest = raw.partition(b"\r\n\r\n")
    if not parted:
        raise ConnectionError("the connection broke")
    first, *lines = head.decode().split("\r\n")
    answered = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if answered.get("transfer-encoding") == "chunked":
        rest = dechunked(rest)
    return int(first.split(" ")[1]), answered, rest.decode()


def dechunked(body: bytes) -> bytes:
    whole = b""
    while True:
        size, parted, body = body.partition(b"\r\n")
        if not parted:
            raise ConnectionError("the connection broke")
        length = int(size, 16)
        if length == 0:
            return whole
        if len(body) < length + 2:
            raise ConnectionError("the connection broke")
        whole, body = whole + body[:length], body[length + 2 :]


class Client:
    """A client with one session, which does not know how many processes there are."""

    def __init__(self, number: int, port: int, counts: dict[str, int]) -> None:
        self.number, self.port, self.counts = number, port, counts
        self.headers: dict[str, str] = {}
        self.ids = itertools.count(1)
        self.kept: list[tuple[str, str, int]] = []

    async def ask(self, method: str, params: dict | None = None, notify: bool = False) -> tuple[dict, dict[str, str]]:
        """Sends a request until it is answered."""
        body = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            body["id"] = next(self.ids)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                status, headers, answer = await asyncio.wait_for(post(self.port, self.headers, body), PATIENCE)
                if status in (200, 202):
                    if notify:
                        return {}, headers
                    return self.message(body["id"], answer), headers
                raise Failed(f"client {self.number}: {method}: {status} {answer[:300]}")
            except (OSError, ConnectionError, asyncio.IncompleteReadError):
                self.counts["sent again"] += 1
                if time.monotonic() > until:
                    raise Failed(f"client {self.number}: {method}: no answer in {PATIENCE} s") from None
                await asyncio.sleep(0.1)

    @staticmethod
    def message(number: int, answer: str) -> dict:
        lines = [answer] if answer.lstrip().startswith("{") else re.findall(r"^data:(.*)$", answer, re.M)
        for line in lines:
            message = json.loads(line) if line.strip() else {}
            if message.get("id") == number:
                return message
        # A stream that ends without the answer was broken off.
        raise ConnectionError("no answer in the stream")

    async def connect(self) -> None:
        about = {"name": f"machines-{self.number}", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
        _, headers = await self.ask("initialize", params)
        self.headers = {"mcp-session-id": headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        await self.ask("notifications/initialized", notify=True)

    async def call(self, tool: str, arguments: dict) -> tuple[str, dict]:
        answer, _ = await self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result")
        if result is None or result.get("isError"):
            raise Failed(f"client {self.number}: {tool} {arguments}: {json.dumps(answer)[:500]}")
        self.counts[tool] += 1
        return result["content"][0]["text"], result

    async def keep(self) -> None:
        """A command whose output is cut, and what a line of it must read."""
        start = random.randrange(1_000_000, 9_000_000)
        lines = random.randrange(3000, 6000)
        mark = f"client {self.number} mark {random.getrandbits(64):016x}"
        command = f"echo '{mark}'; seq {start} {start + lines}"
        _, result = await self.call("bash", {"command": command})
        report = result["_meta"]["offcut/report"]
        if not report.get("artifact_id"):
            raise Failed(f"client {self.number}: nothing was kept: {report}")
        self.kept.append((report["artifact_id"], mark, start))

    async def check(self, kept: tuple[str, str, int]) -> None:
        """Opens an artifact: its first line, and one behind the cut."""
        handle, mark, start = kept
        line = random.randrange(2, 2000)
        text, _ = await self.call("get_artifact", {"id": handle, "start_line": 1, "end_line": 1})
        if text.strip() != mark:
            raise Failed(f"client {self.number}: {handle}: `{text[:80]}` instead of `{mark}`")
        text, _ = await self.call("get_artifact", {"id": handle, "start_line": line, "end_line": line})
        if text.strip() != str(start + line - 2):
            raise Failed(f"client {self.number}: {handle} line {line}: `{text[:80]}` instead of `{start + line - 2}`")


async def serve_tools(offcut: Path, environment: dict[str, str], folder: Path, clients: int, calls: int) -> None:
    processes = [Process([str(offcut), "mcp"], environment, folder / f"mcp{n}.log") for n in (1, 2)]
    for process in processes:
        process.start()
    balancer = Balancer(processes)
    await balancer.start()
    counts: dict[str, int] = {"bash": 0, "get_artifact": 0, "sent again": 0}
    everybody = [Client(number, balancer.port, counts) for number in range(clients)]
    left = iter(range(calls))
    done = 0
    began = time.monotonic()

    async def work(client: Client) -> None:
        nonlocal done
        await client.connect()
        for _ in left:
            if client.kept and random.random() < 0.7:
                handle, mark, _ = random.choice(client.kept)
                text, _ = await client.call("get_artifact", {"id": handle, "start_line": 1, "end_line": 1})
                if text.strip() != mark:
                    raise Failed(f"client {client.number}: {handle}: `{text[:80]}` instead of `{mark}`")
            else:
                await client.keep()
            done += 1

    async def restart() -> None:
        for process, share, how in ((processes[0], 1 / 3, signal.SIGKILL), (processes[1], 2 / 3, signal.SIGTERM)):
            while done < calls * share:
                await asyncio.sleep(0.05)
            await asyncio.to_thread(process.end, how)
            await asyncio.sleep(1)
            await asyncio.to_thread(process.start)
            print(f"  after {done} calls: {how.name}, and started again", flush=True)

    try:
        restarting = asyncio.create_task(restart())
        await asyncio.gather(*(work(client) for client in everybody))
        await restarting
        took = time.monotonic() - began
        announced = sum(len(client.kept) for client in everybody)

        async def check_all(client: Client) -> None:
            for kept in client.kept:
                await client.check(kept)

        await asyncio.gather(*(check_all(client) for client in everybody))
        print(f"  {clients} clients, {calls} calls in {took:.0f} s ({calls / took:.0f}/s): {counts}")
        print(f"  {announced} announced handles opened, each with the lines that were printed: nothing lost")
    finally:
        for process in processes:
            process.end(signal.SIGTERM)


class Provider(http.server.BaseHTTPRequestHandler):
    """A provider that keeps the bodies it gets."""

    bodies: list[bytes] = []

    def do_POST(self) -> None:  # noqa: N802
        Provider.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps({"id": "x", "type": "message", "role": "assistant", "content": []}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def conversation(turns: int) -> list[dict]:
    messages: list[dict] = [{"role": "user", "content": "count"}]
    for turn in range(turns):
        call = {"type": "tool_use", "id": f"call_{turn}", "name": "bash", "input": {"command": f"seq {turn}"}}
        text = "\n".join(f"turn {turn} line {line}" for line in range(4000))
        result = {"type": "tool_result", "tool_use_id": f"call_{turn}", "content": text}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def serve_models(offcut: Path, environment: dict[str, str], folder: Path, turns: int) -> None:
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{provider.server_address[1]}"
    command = [str(offcut), "serve", "--anthropic", upstream]
    processes = [Process(command, environment, folder / f"serve{n}.log") for n in (1, 2)]
    for process in processes:
        process.start()
    try:
        for turn in range(1, turns + 1):
            body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": conversation(turn)}
            if turn == turns // 2:
                processes[0].end(signal.SIGKILL)
                processes[0].start()
            # Either process is the first one to see a turn.
            sent = []
            for process in processes if turn % 2 else reversed(processes):
                request = urllib.request.Request(
                    f"http://127.0.0.1:{process.port}/v1/messages",
                    data=json.dumps(body).encode(),
                    headers={"content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01"},
                )
                urllib.request.urlopen(request, timeout=PATIENCE).read()
                sent.append(Provider.bodies[-1])
            if sent[0] != sent[1]:
                raise Failed(f"turn {turn}: the two processes passed different bodies on")
            if len(sent[0]) > len(json.dumps(body)) / 2:
                raise Failed(f"turn {turn}: nothing was cut")
        print(f"  a conversation of {turns} turns: both processes passed the same bytes on, one of them after SIGKILL")
    finally:
        for process in processes:
            process.end(signal.SIGTERM)
        provider.shutdown()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offcut", type=Path, required=True, help="the program to test, with the feature `cloud`")
    parser.add_argument("--calls", type=int, default=int(os.environ.get("OFFCUT_MACHINES_CALLS", "10000")))
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--turns", type=int, default=12, help="turns of the conversation")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="offcut-machines-"))
    server = folder / "s3"
    ports = {"OFFCUT_S3_PORT": str(free_port()), "OFFCUT_CEPH_MON_PORT": str(free_port())}
    script = [str(ROOT / "scripts" / "s3-server.sh")]
    try:
        if subprocess.run([*script, "start", server], env={**os.environ, **ports}).returncode != 0:
            print("skipped: no S3 server can be had here (see scripts/s3-server.sh)")
            return 0
        settings = dict(re.findall(r"^export (\w+)=(.*)$", (server / "env").read_text(), re.M))
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OFFCUT_")},
            **settings,
            "HOME": str(folder),
            "OFFCUT_ARTIFACTS__STORAGE": f"{settings['OFFCUT_TEST_S3']}/machines",
        }
        environment.pop("OFFCUT_TEST_S3")
        program = arguments.offcut.resolve()
        print(f"tools, on {(server / 'name').read_text().strip()}:", flush=True)
        asyncio.run(serve_tools(program, environment, folder, arguments.clients, arguments.calls))
        print("models:", flush=True)
        serve_models(program, environment, folder, arguments.turns)
    except Failed as failed:
        print(f"FAILED: {failed}", file=sys.stderr)
        for log in sorted(folder.glob("*.log")):
            print(f"--- {log.name}\n{log.read_text()[-1500:]}", file=sys.stderr)
        return 1
    finally:
        subprocess.run([*script, "stop", server], check=False)
        time.sleep(1)
        shutil.rmtree(folder, ignore_errors=True)
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
