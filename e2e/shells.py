#!/usr/bin/env python3
"""Real coding agents and their own shells: what does the model see with Offcut set up, and what has changed?

    e2e/shells.py --offcut target/release/offcut [--agents DIR] [--only claude,codex] [--check table|battery|deny]

`table`: the model prints four large outputs in the agent's own shell (a log, JSON, a test run, the same with exit 3); each
result must show the planted line and a handle. Then the agent is started again, and the handle must open by the
command line, whole, from the agent's own shell.
`battery`: exit codes, quoting, here-documents, order of the streams, stdin, background jobs: the results must be those of
the same agent without Offcut.
`deny`: a rule of the agent that forbids `rm` still does.

Offcut is set up by `offcut init AGENT --user`. An agent that is not installed is skipped, loudly. Agents are looked for on
PATH and in DIR/<agent> (default: $PEERS_DIR). Everything runs on loopback; as root, in a network namespace that has nothing else.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import kit  # noqa: E402
from clients import CLIENTS, Client  # noqa: E402
from inputs import INPUTS  # noqa: E402
from kit import Skipped, check  # noqa: E402

PROMPT = "show me the output and find out what failed"
# Until there is a model: an address that is replaced.
NOWHERE = "http://nowhere.invalid"
HANDLE = re.compile(r"art_\d+_\w+|\[offcut (\w+)")


def run(client: Client, commands: list[str], log: str) -> list[str]:
    """What the model received for each of the commands, run one after the other in the agent's own shell."""
    from fake_llm import FakeLLM

    turns = [*client.before(), *(client.call(command) for command in commands), {"text": "done"}]
    with FakeLLM(turns, log=str(client.home / log)) as llm:
        client.point_at(llm.url)
        said = client.run(PROMPT)
        results = [result["text"] for result in llm.tool_results()]
    check(len(results) == len(commands), f"{len(results)} of {len(commands)} commands came back; the agent said:\n{said[-3000:]}")
    return results


def handle(text: str) -> str | None:
    found = HANDLE.search(text)
    return found and (found.group(1) or found.group(0))


def offcut(client: Client, program: Path, *arguments: str) -> str:
    """Runs Offcut as the agent's user would, in the agent's working directory."""
    env = {"PATH": os.environ["PATH"], "HOME": str(client.home)}
    done = subprocess.run([str(program), *arguments], cwd=client.work, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    check(done.returncode == 0, f"`offcut {' '.join(arguments)}` failed: {done.stderr}")
    return done.stdout


def set_up(client: Client, program: Path) -> None:
    """Sets Offcut up for the agent, as a user would."""
    offcut(client, program, "init", client.name, "--user")


# ── The checks ───────────────────────────────────────────────────────────────────────────────────────────────────────


def table(client: Client, program: Path) -> str:
    """The planted line and a handle in each of four large outputs; and the handle opens in the next run."""
    client.point_at(NOWHERE)
    set_up(client, program)
    commands = []
    for name, content, _, code in INPUTS:
        (client.work / name).write_text(content)
        commands.append(f"cat {name}" + (f"; exit {code}" if code else ""))
    results = run(client, commands, "table.jsonl")
    cells, wrong = [], []
    for (name, content, needle, code), text in zip(INPUTS, results, strict=True):
        seen, found = needle in text, handle(text)
        label = f"{name} exit {code}" if code else name
        cells.append(f"{label} {len(text):,} of {len(content):,}")
        if not seen:
            wrong.append(f"{label}: the planted line is not in what the model saw ({len(text):,} characters)")
        if not found:
            wrong.append(f"{label}: no handle in what the model saw")
        elif found:
            # The line that was planted, found again by the handle on the command line.
            back = offcut(client, program, "artifacts", "grep", found, needle)
            check(needle in back, f"{label}: `{found}` does not open")
    check(not wrong, "; ".join(wrong) + f"\n{results[0][:1500]}")
    # After a restart of the agent, from its own shell: the page comes whole and is not cut again.
    first = handle(results[0])
    page = run(client, [f"{program} artifacts show {first} --lines 1095-1105"], "fetch.jsonl")[0]
    lines = INPUTS[0][1].splitlines()[1094:1105]
    check(all(line in page for line in lines), f"the page of `{first}` did not come whole:\n{page[:2000]}")
    return "; ".join(cells)


# Agents that read the two streams apart need a moment between them, and some still turn them round.
STREAMS = "echo out; sleep 0.3; echo err >&2; sleep 0.3; echo out2"
READS = 'read x; echo "got:$x"'
# What is run, and what of the result is told apart: numbers of processes and times are not.
BATTERY = [
    "exit 7",
    "echo 'single  \"double\"' \"it's \\$HOME\" \\*",
    "cat <<'EOF'\n$HOME `date` \"x\" 'y'\n\\n\nEOF",
    STREAMS,
    READS,
    "printf 'no newline'",
    "pwd",
    "f() { echo \"f:$1\"; }; f 1; unset -f f",
    "echo $((6 * 7)) # a comment at the end",
    "false || echo recovered",
    "set -e; echo before; false; echo never",
    "printf 'caf\\303\\251 \\342\\202\\254\\n'",
]


def battery(client: Client, program: Path) -> str:
    """What commands do and print is what they do and print without Offcut."""
    client.point_at(NOWHERE)
    background = "(sleep 20; echo late) > /dev/null 2>&1 & echo started"
    commands = [command for command in BATTERY if client.closes_stdin or command != READS]
    # An agent alone may lose what a quick command prints: then one run in three that shows it will do.
    runs = [run(client, commands, f"without{number}.jsonl") for number in range(3 if client.loses_output else 1)]
    set_up(client, program)
    began = time.monotonic()
    results = run(client, [*commands, background], "with.jsonl")
    took = time.monotonic() - began
    for command, *alone, result in zip(commands, *runs, results):
        # Agents that show the streams apart, or turn them round, get them in the order of writing.
        in_order = command == STREAMS and re.search(r"out(\n|\\n)err\1out2", result)
        same = in_order or plain(result) in map(plain, alone)
        if client.loses_output and all("Output: (empty)" in each for each in alone):
            # Nothing to compare with: then every line that bash itself prints must be there.
            printed = subprocess.run(["bash", "-c", command], cwd=client.work, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, text=True, check=False).stdout  # fmt: skip
            same = all(line in result for line in printed.splitlines())
        check(same, f"`{command}` gave\n{result}\nand without Offcut\n{alone[-1]}")
    check("started" in results[-1], f"the background job: {results[-1]}")
    return f"{len(results)} commands as without Offcut, {took:.0f} s with a job of 20 s in the background"


def plain(text: str) -> str:
    """A result without what differs from one run to the next."""
    text = re.sub(r"\[System\] Tool input parameters were modified by a hook", "", text)
    text = re.sub(r"(PGID|shellId|Wall time|Chunk ID|chunk_id|Background PIDs|took)\W*[\w.]+( seconds)?", r"\1", text)
    # Cline repeats the command, which there is Offcut's.
    text = re.sub(r'^\[\{"query":".*?","result":', "", text)
    text = re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.S)
    return re.sub(r"\d+(\.\d+)? ?(tokens|ms|seconds)\b", r"\2", text).strip()


def deny(client: Client, program: Path) -> str:
    """What the agent's own rules forbid stays forbidden."""
    client.point_at(NOWHERE)
    if not client.forbid("rm"):
        raise Skipped(f"no rule is known by which {client.name} forbids a command")
    victim = client.work / "victim.txt"
    victim.write_text("stay")
    run(client, ["rm victim.txt"], "alone.jsonl")
    if not victim.exists():
        raise Skipped(f"{client.name} alone does not keep its rule when it runs without a person")
    set_up(client, program)
    result = run(client, ["rm victim.txt"], "deny.jsonl")[0]
    check(victim.exists(), f"the file is gone; the model was told: {result[:500]}")
    return f"`rm` was refused: {result.strip().splitlines()[0][:100] if result.strip() else 'without a word'}"


CHECKS = {"table": table, "battery": battery, "deny": deny}


def main() -> int:
    parser = kit.arguments(__doc__, CLIENTS)
    parser.add_argument("--check", choices=CHECKS, action="append", help="only this check")
    chosen = parser.parse_args()

    def case(name: str, check_name: str) -> tuple:
        client = CLIENTS[name]
        return f"{check_name} {name}", name, lambda home: CHECKS[check_name](
            client(client.find(chosen.agents), home), chosen.offcut.resolve()
        )

    return kit.run_all(case(name, each) for name in chosen.only.split(",") for each in chosen.check or CHECKS)


if __name__ == "__main__":
    sys.exit(main())
