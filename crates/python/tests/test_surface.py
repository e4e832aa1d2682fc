"""The table of what exists where tells the truth, and leaves nothing out."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache

import offcut
import pytest
from conftest import PROJECT
from test_command import COMMAND, needs_command

TABLE = PROJECT / "docs" / "surface.md"


@cache
def column(number: int) -> list[str]:
    """The names of one column, in order."""
    rows = [line.split(" | ") for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    return [name for row in rows[2:] for name in re.findall(r"`([^`]+)`", row[number])]


@pytest.mark.parametrize("name", sorted(set(column(1))))
def test_rust_has_it(name):
    crate, *path = name.split("::")
    folders = {"offcut": "offcut", "offcut_extract": "extract", "offcut_retain": "retain"}
    folder = folders.get(crate, crate.removeprefix("offcut_"))
    if path[0] == "core":
        folder, path = "core", path[1:]
    sources = "\n".join(file.read_text() for file in (PROJECT / "crates" / folder / "src").rglob("*.rs"))
    last = path[-1]
    declared = rf"\bpub (?:fn|struct|enum|trait|const|type) {last}\b"
    passed_on = rf"\bpub use [^;]*\b{last}\b"
    assert re.search(declared, sources) or re.search(passed_on, sources), name
    for outer in path[:-1]:
        assert re.search(rf"\bpub (?:mod|struct|enum|trait) {outer}\b|\bpub use {outer}::", sources), outer


def test_python_has_it_and_nothing_else():
    names = set(column(2))
    for name in names:
        found = offcut
        for part in name.split("."):
            found = getattr(found, part)
    methods = {f"Offcut.{name}" for name in vars(offcut.Offcut) if not name.startswith("_")}
    assert names == set(offcut.__all__) | methods


def commands(*words: str) -> set[str]:
    """The commands that a help page lists."""
    told = subprocess.run([COMMAND, *words, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    listed = told.split("Commands:\n")[1].split("\n\n")[0] if "Commands:\n" in told else ""
    return {line.split()[0] for line in listed.splitlines() if re.match(r"  \w", line)} - {"help"}


@needs_command
def test_the_command_line_has_it_and_nothing_else():
    names = {tuple(name.split()[1:]) for name in column(4)}
    options = {name for name in names if name and name[0].startswith("--")}
    told = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert all(option in told for (option,) in options)
    top = {name[0] for name in names - options if name}
    assert top == commands()
    assert {name[1] for name in names if name[:1] == ("artifacts",)} == commands("artifacts")


@needs_command
def test_mcp_has_it_and_nothing_else(tmp_path):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    lines = "".join(json.dumps(message) + "\n" for message in sent)
    told = subprocess.run([COMMAND, "mcp"], input=lines, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    tools = json.loads(told.stdout.splitlines()[1])["result"]["tools"]
    # Two are offered only once there is something to ask.
    assert {tool["name"] for tool in tools} | {"tool_output", "get_task_trace"} == set(column(5))
