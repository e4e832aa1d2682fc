#!/usr/bin/env python3
"""Real coding agents and `offcut init`: is everything that it writes read by the agent, and is all of it gone afterwards?

    e2e/init.py --offcut target/release/offcut [--agents DIR] [--only claude,codex]

For each agent, in a home of its own with a configuration of its own:

1. `offcut init AGENT` twice gives the same files, and `offcut doctor` finds nothing broken about the agent.
2. The agent runs a command with a large output in its own shell: its model must have read the instructions, and must get
   the planted line and a handle (agents whose shell cannot be reached run the command with Offcut's tool `bash`).
3. The agent is started again, and its model calls `get_artifact` with the handle: the tools work, in the same session.
4. `offcut init AGENT --undo`: every file is what it was before, byte for byte; one that the agent itself changed in the
   meantime has nothing of Offcut's in it.

An agent that is not installed is skipped, loudly. Agents are looked for on PATH and in DIR/<agent> (default: $PEERS_DIR).
Everything runs on loopback; as root, in a network namespace that has nothing else.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import kit  # noqa: E402
from clients import CLIENTS, Client  # noqa: E402
from inputs import INPUTS  # noqa: E402
from kit import check  # noqa: E402
from shells import NOWHERE, PROMPT, handle, offcut  # noqa: E402

INSTRUCTIONS = "may come shortened by Offcut"

# What a model that does not see the tools of a server has to do first, and what it then calls.
SEARCH = {"codex": [{"tool": "tool_search", "args": {"query": "offcut get_artifact bash"}}]}
NAMES = {"claude": "mcp__offcut__{}", "qwen": "mcp__offcut__{}", "kimi": "mcp__offcut__{}"}
# Agents whose own shell Offcut cannot reach.
NO_SHELL = {"kimi", "openhands"}
# Agents that have no file for instructions to all projects.
NO_INSTRUCTIONS = {"openhands"}
# Agents that have no MCP of their own, or reach it only from code that their model writes.
NO_TOOLS = {"pi", "vibe"}
TITLES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "qwen": "Qwen Code", "opencode": "opencode",
          "copilot": "Copilot CLI", "goose": "goose", "cline": "Cline", "kimi": "Kimi Code", "pi": "pi",
          "continue": "Continue", "vibe": "Mistral Vibe", "openhands": "OpenHands"}  # fmt: skip


class Continue(CLIENTS["continue"]):
    """With its configuration where `offcut init` looks for it."""

    def write(self, path: str, content: object) -> None:
        super().write(f".continue/{path}", content)

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", "--auto", "--config", str(self.home / ".continue/config.yaml"), prompt]


AGENTS = {**CLIENTS, "continue": Continue}


def call(client: Client, tool: str, arguments: dict) -> list[dict]:
    """The turns that call a tool of Offcut's."""
    if client.name == "openhands":
        arguments = {**arguments, "security_risk": "LOW"}
    name = NAMES.get(client.name, "*{}").format(tool)
    if client.name in ("openhands", "continue"):
        name = tool
    return [*SEARCH.get(client.name, []), {"tool": name, "args": arguments}]


def variables(said: str) -> dict[str, str]:
    """The variables that `offcut init` says the agent has to be started with: `alias qwen='BASH_ENV=… qwen'`."""
    alias = re.search(r"alias \w+='(.*) \w+'", said)
    return dict(pair.split("=", 1) for pair in alias.group(1).split(" ")) if alias else {}


def run(client: Client, turns: list[dict], log: str, environment: dict[str, str]) -> tuple[str, str]:
    """The last result that the model received, and all that it was sent."""
    from fake_llm import FakeLLM

    path = client.home / log
    with FakeLLM([*client.before(), *turns, {"text": "done"}], log=str(path)) as llm:
        client.point_at(llm.url)
        said = client.run(PROMPT, **environment)
        results = llm.tool_results()
    check(bool(results), f"no result came back; the agent said:\n{said[-3000:]}")
    return results[-1]["text"], path.read_text()


def snapshot(home: Path) -> dict[str, str]:
    """Every file and link of the home that is not the agent's own bookkeeping."""
    files = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.startswith("work/") or name.endswith(".jsonl"):
            continue
        if path.is_symlink():
            files[name] = f"-> {path.readlink()}"
        elif path.is_file():
            files[name] = path.read_bytes().decode(errors="replace")
    return files


def one(client: Client, program: Path) -> str:
    client.point_at(NOWHERE)
    (client.work / ".git").mkdir()
    before = snapshot(client.home)
    environment = variables(offcut(client, program, "init", client.name))
    written = snapshot(client.home)
    changed = {name for name in written if written[name] != before.get(name)}
    check(bool(changed), "init wrote nothing")
    offcut(client, program, "init", client.name)
    check(snapshot(client.home) == written, "a second init changed something")
    offcut(client, program, "init", client.name, "--check")
    checkup = json.loads(offcut(client, program, "doctor", "--json"))
    mine = [finding for finding in checkup["findings"] if finding["what"].startswith(TITLES[client.name])]
    check(bool(mine) and not any(finding["state"] == "broken" for finding in mine), f"doctor says {mine}")

    name, content, needle, _ = INPUTS[0]
    (client.work / name).write_text(content)
    if client.name in NO_SHELL:
        turns = call(client, "bash", {"command": f"cat {name}"})
    else:
        turns = [client.call(f"cat {name}")]
    text, sent = run(client, turns, "shell.jsonl", environment)
    found = handle(text)
    check(needle in text and found is not None, f"no planted line or handle in what the model saw:\n{text[:1500]}")
    told = INSTRUCTIONS in sent
    check(told or client.name in NO_INSTRUCTIONS, "the instructions did not reach the model")
    tools = "not asked for"
    if client.name not in NO_TOOLS:
        turns = call(client, "get_artifact", {"id": found, "pattern": needle})
        text, _ = run(client, turns, "tools.jsonl", environment)
        check(needle in text, f"`get_artifact` of `{found}` gave:\n{text[:1500]}")
        tools = "the handle opens"

    late = snapshot(client.home)
    offcut(client, program, "init", client.name, "--undo")
    after = snapshot(client.home)
    for name in sorted(changed | {name for name in late if name.endswith(".offcut-backup")}):
        touched = late.get(name) != written.get(name) and not name.endswith(".offcut-backup")
        if touched:
            check("offcut" not in after.get(name, ""), f"{name} still has something of Offcut's:\n{after.get(name)}")
        else:
            check(after.get(name) == before.get(name), f"{name} is not what it was:\n{after.get(name)}")
    return f"{len(changed)} files written and gone, instructions {'read' if told else 'not possible'}, tools: {tools}"


def main() -> int:
    chosen = kit.arguments(__doc__, AGENTS).parse_args()

    def case(name: str) -> tuple:
        agent = AGENTS[name]
        return name, name, lambda home: one(agent(agent.find(chosen.agents), home), chosen.offcut.resolve())

    return kit.run_all(case(name) for name in chosen.only.split(","))


if __name__ == "__main__":
    sys.exit(main())
