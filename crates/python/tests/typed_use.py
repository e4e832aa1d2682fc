"""What type checkers make of the package; mypy and pyright read this, and nothing runs it."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import offcut
from typing_extensions import assert_type

assert_type(offcut.cut("text", limit="30KB", args=["make", "all"]), offcut.Reply)
assert_type(offcut.cut(pathlib.Path("out.log")).handle, str | None)
assert_type(offcut.cut(io.BytesIO(b"")).kept, list[tuple[int, int]])
assert_type(offcut.cut(b"").report["kind"], str)


@offcut.tool
def run(command: str, times: int = 1) -> str:
    """Run a command."""
    return command * times


@offcut.tool(limit=100)
async def fetch(url: str) -> str:
    """Fetch a page."""
    return url


assert_type(run("make", times=2), str)


async def use() -> None:
    """Await what stays awaitable."""
    assert_type(await fetch("x"), str)


def chosen(document: offcut.Document, room: int) -> Iterator[tuple[int, int, str]]:
    """Choose the first line."""
    yield (1, 1, "the first")


def ask(system: str, user: str, max_tokens: int) -> str:
    """Ask a model."""
    return system + user


oc = offcut.Offcut("auto", pathlib.Path("store"), strategies={"chosen": chosen, "last": lambda document, room: [3]})
assert_type(oc.extract("last", "why?", model=ask).text, str)
assert_type(oc.search("words")[0].first_line, int)
assert_type(oc.stream().close(), offcut.Reply)
strategy: Callable[[offcut.Document, int], Any] = chosen
