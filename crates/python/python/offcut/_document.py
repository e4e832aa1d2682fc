"""What a strategy reads, and how its answer is passed on."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from ._native import DocumentReader

LineRange: TypeAlias = "int | tuple[int, int] | tuple[int, int, str]"
"""A line, or a first and a last one, counted from 1; and why, where there is something to say."""

_LINES_AT_ONCE = 4096


class Document:
    """A cleaned output while it is being cut. Iterating gives its lines, with their line ends, in bounded memory."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self._reader.lines

    @property
    def chars(self) -> int:
        """How many characters it has."""
        return self._reader.chars

    @property
    def kind(self) -> str:
        """What it looks like: `log`, `test`, `json`, …"""
        return self._reader.kind

    def read(self, first: int = 1, last: int | None = None) -> str:
        """Return the text of lines `first` to `last`, counted from 1, the last one included."""
        return self._reader.read(first, self.lines if last is None else last)

    def __len__(self) -> int:
        return self.lines

    def __iter__(self) -> Iterator[str]:
        for first in range(1, self.lines + 1, _LINES_AT_ONCE):
            # Only LF, CRLF and CR end a line; `str.splitlines` knows others.
            yield from io.StringIO(self.read(first, first + _LINES_AT_ONCE - 1), newline="")


Strategy: TypeAlias = "Callable[[Document, int], Iterable[LineRange] | None]"
"""Chooses what to show: gets a document and the room in characters, returns lines, the most important first.

As many as fit are shown, in the order of the document. `None` says that it does not apply to this output.
"""


def native_strategy(strategy: Strategy) -> Callable[[DocumentReader, int], list[tuple[int, int, str]] | None]:
    """Return `strategy` as the native module calls it."""

    def call(reader: DocumentReader, room: int) -> list[tuple[int, int, str]] | None:
        wanted = strategy(Document(reader), room)
        return None if wanted is None else [_three(line_range) for line_range in wanted]

    return call


def _three(line_range: LineRange) -> tuple[int, int, str]:
    if isinstance(line_range, int):
        return (line_range, line_range, "chosen")
    if len(line_range) == 2:
        return (line_range[0], line_range[1], "chosen")
    return (line_range[0], line_range[1], line_range[2])
