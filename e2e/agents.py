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

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTKIT = HERE.parent.parent / "shared" / "testkit"
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(TESTKIT))

import big_server  # noqa: E402

LINES = big_server.log()
WHOLE = "\n".join(LINES) + "\n"
DECISIVE = "card_declined_by_issuer"
PROMPT = "show me the log and find out what failed"


class Skipped(Exception):
    """The case cannot run here."""


class Failed(Exception):
    """The case ran and something was wrong."""


def check(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)


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


class Agent:
    """How one agent is configured and run."""

    # Whether it can be told to hand a large result to its model uncut.
    passes_large_results = True

    def __init__(self, name: str, program: Path, home: Path) -> None:
        self.name, self.program, self.home = name, program, home
        self.work = home / "work"
        self.work.mkdir(parents=True)

    def environment(self, **more: str) -> dict[str, str]:
        path = f"{self.program.parent}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", **more}

    def turns(self, *calls: dict) -> list[dict]:
        return [*calls, {"text": "done"}]

    def run(self, command: list[str], env: dict[str, str]) -> str:
        done = subprocess.run(
            [str(self.program), *command], cwd=self.work, env=env, stdin=subprocess.DEVNULL, timeout=180,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        return done.stdout


class Claude(Agent):
    show, bash, get = "mcp__big__show", "mcp__big__bash", "mcp__big__get_artifact"

    def start(self, url: str, server: list[str]) -> str:
        config = {"mcpServers": {"big": {"command": server[0], "args": server[1:]}}}
        (self.work / "mcp.json").write_text(json.dumps(config))
        env = self.environment(
            ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="test", DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", MAX_MCP_OUTPUT_TOKENS="200000",
        )  # fmt: skip
        return self.run(
            ["-p", PROMPT, "--model", "claude-sonnet-4-5", "--mcp-config", "mcp.json", "--strict-mcp-config",
             "--allowedTools", f"{self.show},{self.bash},{self.get}", "--output-format", "stream-json", "--verbose"],
            env,
        )  # fmt: skip


class Codex(Agent):
    show, bash, get = "*show", "*bash", "*get_artifact"

    def turns(self, *calls: dict) -> list[dict]:
        # Its MCP tools are found by a search first.
        return [{"tool": "tool_search", "args": {"query": "show bash get_artifact log"}}, *calls, {"text": "done"}]

    def start(self, url: str, server: list[str]) -> str:
        (self.home / ".codex").mkdir()
        quoted = ", ".join(json.dumps(word) for word in server[1:])
        (self.home / ".codex" / "config.toml").write_text(f"""
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false
tool_output_token_limit = 200000
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.big]
command = {json.dumps(server[0])}
args = [{quoted}]
""")
        arguments = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", PROMPT]
        return self.run(arguments, self.environment(FAKE_KEY="test"))


class Opencode(Agent):
    # It has a `bash` of its own.
    show, bash, get = "*show", "big_bash", "*get_artifact"
    passes_large_results = False

    def start(self, url: str, server: list[str]) -> str:
        config = {
            "autoupdate": False, "share": "disabled", "permission": "allow",
            "model": "fake/fake-model", "small_model": "fake/fake-model",
            "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{url}/v1", "apiKey": "test"},
                "models": {"fake-model": {"limit": {"context": 200_000, "output": 8192}}},
            }},
            "mcp": {"big": {"type": "local", "command": server, "enabled": True}},
        }  # fmt: skip
        (self.work / "opencode.json").write_text(json.dumps(config))
        env = self.environment(OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1")
        return self.run(["run", "--format", "json", PROMPT], env)


AGENTS: dict[str, type[Agent]] = {"claude": Claude, "codex": Codex, "opencode": Opencode}


def find(name: str, directory: str | None) -> Path:
    """The agent's program."""
    if directory and (Path(directory) / name / "node_modules" / ".bin" / name).exists():
        return Path(directory) / name / "node_modules" / ".bin" / name
    if found := shutil.which(name):
        return Path(found)
    raise Skipped(f"`{name}` is not installed (looked on PATH and in $PEERS_DIR)")


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offcut", type=Path, required=True, help="the program to test")
    parser.add_argument("--agents", default=os.environ.get("PEERS_DIR"), help="where agents are installed")
    parser.add_argument("--only", default=",".join(AGENTS), help="these agents, separated by commas")
    parser.add_argument("--case", choices=CASES, action="append", help="only this case")
    arguments = parser.parse_args()
    if not (TESTKIT / "fake_llm.py").exists():
        print("skipped: the scripted model (shared/testkit) is not there")
        return 0
    if os.geteuid() == 0 and not os.environ.get("E2E_ALONE") and shutil.which("unshare") and shutil.which("ip"):
        inside = ["bash", "-c", 'ip link set lo up; exec "$@"', "alone", sys.executable, *sys.argv]
        os.environ["E2E_ALONE"] = "1"
        os.execvp("unshare", ["unshare", "-n", "--", *inside])
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in arguments.case or CASES:
        for name in arguments.only.split(","):
            outcome, said = one(case, name, arguments)
            counts[outcome] += 1
            print(f"{outcome}: {case} {name}: {said}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0


def one(case: str, name: str, arguments: argparse.Namespace) -> tuple[str, str]:
    """Runs one agent through one case, in a home of its own; that of a failed run stays to be looked at."""
    try:
        program = find(name, arguments.agents)
    except Skipped as why:
        return "skipped", str(why)
    home = Path(tempfile.mkdtemp(prefix=f"offcut-{name}-"))
    try:
        said = CASES[case](AGENTS[name](name, program, home), arguments.offcut.resolve())
    except Skipped as why:
        return "skipped", str(why)
    except Failed as why:
        return "failed", f"{why}\n(kept: {home})"
    except subprocess.TimeoutExpired:
        return "failed", f"the agent did not end within three minutes\n(kept: {home})"
    shutil.rmtree(home, ignore_errors=True)
    return "passed", said


if __name__ == "__main__":
    sys.exit(main())
