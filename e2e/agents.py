#!/usr/bin/env python3
"""Real coding agents against a scripted model: what does the model see?

    e2e/agents.py --offcut target/release/offcut [--agents DIR] [--only claude,codex,opencode] [--case wrap|tools|proxy]

`wrap`: the model calls a tool of a server behind `offcut wrap` that returns 300 KB with the decisive line in the
middle; what the model receives must contain that line and a handle; then it calls `get_artifact` as the notice says,
and must get exactly those lines.
`tools`: the same with `bash` of `offcut mcp`, which prints the 300 KB.
`proxy`: the agent talks to the model through `offcut serve`; the model must receive the large result cut, with the
decisive line, and the same bytes on every turn.

An agent that is not installed is skipped, loudly. Agents are looked for on PATH and in DIR/<agent>/node_modules/.bin
(default: $PEERS_DIR). Everything runs on loopback; as root, in a network namespace that has nothing else.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import big_server  # noqa: E402
import kit  # noqa: E402
from clients import CLIENTS, Client  # noqa: E402
from kit import HERE, Failed, Skipped, check  # noqa: E402

LINES = big_server.log()
WHOLE = "\n".join(LINES) + "\n"
DECISIVE = "card_declined_by_issuer"
PROMPT = "show me the log and find out what failed"


def from_result(pattern: str, number: bool = False) -> dict:
    return {"$result": pattern, **({"as": "int"} if number else {})}


def recall(name: str) -> dict:
    """The call that the notice of a cut gives, as a turn of the script."""
    return {
        "tool": name,
        "args": {
            "id": from_result(r'get_artifact\(id="(\w+)"'),
            "lines": from_result(r"(?m)^\[\w+ (\d+-\d+)"),
        },
    }


# ── The agents ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Agent(Client):
    """An agent with one MCP server of ours, called `big`."""

    # What the server's tools are called for its model.
    show = bash = get = ""
    # Whether it can be told to hand a large result to its model uncut.
    passes_large_results = True

    def add(self, server: list[str]) -> None:
        """Writes the server into the agent's configuration."""
        raise NotImplementedError

    def turns(self, *calls: dict) -> list[dict]:
        return [*calls, {"text": "done"}]

    def start(self, url: str, server: list[str]) -> str:
        """Runs the agent with the model at `url` and the server, and returns what it printed."""
        self.point_at(url)
        self.add(server)
        return self.run(PROMPT)


class Claude(CLIENTS["claude"], Agent):
    show, bash, get = "mcp__big__show", "mcp__big__bash", "mcp__big__get_artifact"

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "MAX_MCP_OUTPUT_TOKENS": "200000"}

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", prompt, "--model", "claude-sonnet-4-5", "--mcp-config", "mcp.json", "--strict-mcp-config",
                "--allowedTools", f"{self.show},{self.bash},{self.get}", "--output-format", "stream-json", "--verbose"]  # fmt: skip

    def add(self, server: list[str]) -> None:
        self.write("work/mcp.json", {"mcpServers": {"big": {"command": server[0], "args": server[1:]}}})


class Codex(CLIENTS["codex"], Agent):
    show, bash, get = "*show", "*bash", "*get_artifact"

    def turns(self, *calls: dict) -> list[dict]:
        # Its MCP tools are found by a search first.
        return [{"tool": "tool_search", "args": {"query": "show bash get_artifact log"}}, *calls, {"text": "done"}]

    def add(self, server: list[str]) -> None:
        config = self.home / ".codex/config.toml"
        own = f"[mcp_servers.big]\ncommand = {json.dumps(server[0])}\nargs = {json.dumps(server[1:])}\n"
        config.write_text(f"tool_output_token_limit = 200000\n{config.read_text()}\n{own}")


class Opencode(CLIENTS["opencode"], Agent):
    # It has a `bash` of its own.
    show, bash, get = "*show", "big_bash", "*get_artifact"
    passes_large_results = False

    def add(self, server: list[str]) -> None:
        self.write("work/opencode.json", {"mcp": {"big": {"type": "local", "command": server, "enabled": True}}})


AGENTS: dict[str, type[Agent]] = {agent.name: agent for agent in (Claude, Codex, Opencode)}


# ── The cases ────────────────────────────────────────────────────────────────────────────────────────────────────────


def wrap(agent: Agent, offcut: Path) -> str:
    """A tool behind `offcut wrap`: the decisive line, a handle, and the way back."""
    server = [str(offcut), "wrap", "--store", str(agent.home / "artifacts"), "--", sys.executable]
    server.append(str(HERE / "big_server.py"))
    return there_and_back(agent, server, {"tool": agent.show, "args": {}})


def tools(agent: Agent, offcut: Path) -> str:
    """A command run by `offcut mcp`: the decisive line, a handle, and the way back."""
    (agent.work / "worker.log").write_text(WHOLE)
    server = [str(offcut), "mcp", "--root", str(agent.work), "--store", str(agent.home / "artifacts")]
    return there_and_back(agent, server, {"tool": agent.bash, "args": {"command": "cat worker.log"}})


def there_and_back(agent: Agent, server: list[str], call: dict) -> str:
    """A call whose result is too large, and the call that its notice gives."""
    from fake_llm import FakeLLM

    script = agent.turns(call, recall(agent.get))
    with FakeLLM(script, log=str(agent.home / "requests.jsonl")) as llm:
        said = agent.start(llm.url, server)
        results = [result for result in llm.tool_results() if result["name"] != "tool_search"]
    texts = [result["text"] for result in results if "[offcut " in result["text"] or "request " in result["text"]]
    check(len(texts) >= 2, f"expected two results, the model got {len(texts)}; the agent said:\n{said[-3000:]}")
    first, second = texts[0], texts[1]
    check(DECISIVE in first, f"the decisive line is not in what the model saw:\n{first[:2000]}")
    check("[offcut " in first, "there is no handle in what the model saw")
    start, end = map(int, re.search(r"(?m)^\[\w+ (\d+)-(\d+)", first).groups())
    wanted = LINES[start - 1 : end]
    kept = [line for line in json_text(second).split("\n") if re.match(r"2026-11-15T", line)]
    check(bool(kept) and kept == wanted[: len(kept)], f"the lines {start}-{end} did not come back:\n{second[:2000]}")
    whole = len(kept) == len(wanted)
    check(whole or 'lines="' in second, f"only {len(kept)} of {len(wanted)} lines came, and no next call")
    return f"saw {len(first):,} of {len(WHOLE):,} characters; lines {start}-{start + len(kept) - 1} of {start}-{end} came back"


def proxy(agent: Agent, offcut: Path) -> str:
    """The model behind `offcut serve`: the large result is cut, with the same bytes on every turn."""
    from fake_llm import FakeLLM

    if not agent.passes_large_results:
        raise Skipped(f"{agent.name} cuts large results itself before they reach the proxy")
    server = [sys.executable, str(HERE / "big_server.py")]
    shows = [{"tool": agent.show, "args": {}}] * 3
    with FakeLLM(agent.turns(*shows), log=str(agent.home / "requests.jsonl")) as llm, Serve(offcut, llm.url, agent) as url:
        said = agent.start(url, server)
    seen: dict[str, set[str]] = {}
    sizes = []
    for line in (agent.home / "requests.jsonl").read_text().splitlines():
        for result in json.loads(line)["tool_results"]:
            if "payment-worker" in result["text"]:
                seen.setdefault(result["id"], set()).add(result["text"])
                sizes.append(len(result["text"]))
    check(bool(seen), f"no large result reached the model; the agent said:\n{said[-3000:]}")
    for call, texts in seen.items():
        check(len(texts) == 1, f"the result of {call} changed from turn to turn: {sorted(map(len, texts))} characters")
        check(all(DECISIVE in text for text in texts), f"the decisive line is not in the result of {call}")
        check(all(len(text) < 20_000 for text in texts), f"the result of {call} was not cut")
    return f"{len(sizes)} results in {len(seen)} calls, {max(sizes):,} characters at most, the same bytes every turn"


class Serve:
    """`offcut serve` in front of the scripted model."""

    def __init__(self, offcut: Path, upstream: str, agent: Agent) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(offcut), "serve", "--listen", f"127.0.0.1:{self.port}", "--anthropic", upstream, "--openai", upstream]
        command += ["--store", str(agent.home / "artifacts")]
        self.log = open(agent.home / "serve.log", "w")
        self.process = subprocess.Popen(command, cwd=agent.work, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)

    def __enter__(self) -> str:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return f"http://127.0.0.1:{self.port}"
            time.sleep(0.05)
        raise Failed(f"`offcut serve` did not start: {Path(self.log.name).read_text()}")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)
        self.log.close()


def json_text(text: str) -> str:
    """The text of a result that an agent hands on as JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    blocks = value.get("content", value) if isinstance(value, dict) else value
    if isinstance(blocks, list):
        return "\n".join(block.get("text", "") for block in blocks if isinstance(block, dict))
    return text


CASES = {"wrap": wrap, "tools": tools, "proxy": proxy}


def main() -> int:
    parser = kit.arguments(__doc__, AGENTS)
    parser.add_argument("--case", choices=CASES, action="append", help="only this case")
    chosen = parser.parse_args()

    def case(which: str, name: str) -> tuple:
        return f"{which} {name}", name, lambda home: CASES[which](
            AGENTS[name](AGENTS[name].find(chosen.agents), home), chosen.offcut.resolve()
        )

    return kit.run_all(case(which, name) for which in chosen.case or CASES for name in chosen.only.split(","))


if __name__ == "__main__":
    sys.exit(main())
