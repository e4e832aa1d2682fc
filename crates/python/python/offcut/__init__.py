"""Offcut hands a language model the part of a tool's output that matters, and keeps the rest one call away.

>>> import offcut
>>> reply = offcut.cut("all is well\\n" * 5000 + "error: disk full\\n" + "all is well\\n" * 5000)
>>> len(str(reply)) <= 8000, "error: disk full" in str(reply)
(True, True)
>>> offcut.show(reply.handle, "5001")
'error: disk full\\n'
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from ._document import Document, LineRange, Strategy
from ._messages import Retained
from ._native import VERSION as __version__
from ._native import OffcutError
from ._offcut import Extraction, Limit, LineSpan, Model, Offcut, Output, Passage
from ._reply import Reply, Report
from ._stream import Stream

__all__ = [
    "Document",
    "Extraction",
    "Limit",
    "LineRange",
    "LineSpan",
    "Model",
    "Offcut",
    "OffcutError",
    "Output",
    "Passage",
    "Reply",
    "Report",
    "Retained",
    "Strategy",
    "Stream",
    "__version__",
    "cut",
    "default",
    "show",
    "tool",
]

# A library prints nothing that nobody asked for.
logging.getLogger("offcut").addHandler(logging.NullHandler())

P = ParamSpec("P")
R = TypeVar("R")

_default: Offcut | None = None
_making_default = threading.Lock()


def default() -> Offcut:
    """Return the object that the module's own functions use: the profile `auto`, outputs kept in memory."""
    global _default
    if _default is None:
        with _making_default:
            _default = _default or Offcut()
    return _default


def cut(
    output: Output,
    limit: Limit = 8000,
    tool: str | None = None,
    args: Mapping[str, Any] | Sequence[str] | str | None = None,
    kind: str | None = None,
    *,
    strategy: str | None = None,
    exit_code: int | None = None,
    failed: bool = False,
) -> Reply:
    """Return the part of `output` that is worth showing within `limit`; the whole is kept in memory.

    See `Offcut.cut`; `show(reply.handle)` returns what was left out.
    """
    return default().cut(output, limit, tool, args, kind, strategy=strategy, exit_code=exit_code, failed=failed)


def show(handle: str, lines: LineSpan | None = None, *, tail: int | None = None) -> str:
    """Return an output that `cut` has kept: all of it, some lines, or its last `tail` lines."""
    return default().show(handle, lines, tail=tail)


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def tool(
    *, name: str | None = None, limit: Limit | None = None, kind: str | None = None, strategy: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    limit: Limit | None = None,
    kind: str | None = None,
    strategy: str | None = None,
) -> Callable[..., Any]:
    """Cut what a function returns, where that is text: a decorator for tools, sync and async. See `Offcut.tool`."""
    if function is not None:
        return default().tool(function)
    return default().tool(name=name, limit=limit, kind=kind, strategy=strategy)
