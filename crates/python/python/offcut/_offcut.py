"""The package's one object: rules, a store and a session."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

from . import _native
from ._document import Strategy, native_strategy
from ._facts import CallFacts, RetainSettings
from ._messages import Messages, Retained, retained
from ._native import OffcutError
from ._reply import Reply
from ._stream import Stream
from ._tool import wrapped

P = ParamSpec("P")
R = TypeVar("R")

Output: TypeAlias = "str | bytes | bytearray | memoryview | os.PathLike[str] | IO[str] | IO[bytes]"
"""An output: text, bytes, a path (`pathlib.Path`, not a string), or a file that is open for reading."""

Limit: TypeAlias = "int | str"
"""A number of characters, or text with a unit: `"2000 tokens"`, `"30KB"`, `"200 lines"`."""

Model: TypeAlias = "Callable[[str, str, int], str]"
"""Asks a language model: `(system, user, max_tokens)` in, its answer out. Called from several threads."""

LineSpan: TypeAlias = "str | int | tuple[int, int]"
"""Lines, counted from 1: `"12-90"` as a gap prints it, `12`, `(12, 90)`; `"b39-4983"` are bytes."""

_BLOCK = 1024 * 1024


@dataclass(frozen=True)
class Passage:
    """A part of a kept output that fits what was searched for."""

    artifact_id: str
    tool: str
    args: str
    first_line: int
    last_line: int
    text: str
    score: float


@dataclass(frozen=True)
class Extraction:
    """The answer to a question about a kept output; `str(answer)` is its text."""

    text: str
    failed: bool
    account: dict[str, Any]

    def __str__(self) -> str:
        return self.text


class Offcut:
    """Cuts outputs for a model and keeps the whole of each. Any number of threads may use one.

    profile: the set of limits and wordings: `auto` (the default), `balanced`, `paged`, `handle` or `bookends`.
    store: where whole outputs are kept: `memory` (as long as this object lives), `none`, a directory (which the
        command `offcut` reads as well), or an address such as `s3://bucket/prefix` where the build has object storage.
    session: the name under which outputs are kept; one session does not see another's.
    limit: the limit of calls that give none.
    options: what a configuration file can say, as a mapping: `{"overrides": {"grep": {"inline_limit": 4000}}}`.
    strategies: strategies of your own by name, which `strategy=` and the options may use.
    """

    def __init__(
        self,
        profile: str | None = None,
        store: str | os.PathLike[str] = "memory",
        session: str = "default",
        *,
        limit: Limit | None = None,
        options: Mapping[str, Any] | None = None,
        strategies: Mapping[str, Strategy] | None = None,
    ) -> None:
        said = dict(options or {})
        if profile is not None:
            said["profile"] = profile
        named = [(name, native_strategy(strategy)) for name, strategy in (strategies or {}).items()]
        self._limit = limit
        self._engine = _native.Engine(json.dumps(said), os.fspath(store), session, named)

    @property
    def session(self) -> str:
        """The session that outputs are kept under."""
        return self._engine.session

    def cut(
        self,
        output: Output,
        limit: Limit | None = None,
        tool: str | None = None,
        args: Mapping[str, Any] | Sequence[str] | str | None = None,
        kind: str | None = None,
        *,
        strategy: str | None = None,
        call_id: str | None = None,
        exit_code: int | None = None,
        failed: bool = False,
        keep_prefixes: bool = False,
    ) -> Reply:
        """Return the part of `output` that is worth showing within `limit`; the whole of it is kept.

        tool, args: whose output it is; they choose limits and help to tell what it is.
        kind: what it is, where that is known better than it looks: `log`, `json`, `test`, …
        strategy: how to cut, in place of what the content suggests.
        exit_code, failed: how the call ended; a cut says so in its header.
        """
        facts = self._facts(limit, tool, args, kind, strategy, call_id, exit_code, failed, keep_prefixes)
        if isinstance(output, str | bytes):
            return Reply(*self._engine.cut(output, facts))
        if isinstance(output, bytearray | memoryview):
            return Reply(*self._engine.cut(bytes(output), facts))
        if isinstance(output, os.PathLike):
            return Reply(*self._engine.cut_file(os.fspath(output), facts))
        if not hasattr(output, "read"):
            kinds = "str, bytes, a path or a file that is open for reading"
            raise TypeError(f"an output is {kinds}, not {type(output).__name__}")
        intake = self._engine.stream(facts)
        while block := output.read(_BLOCK):
            if not intake.write(block):
                break
        return Reply(*intake.finish())

    def stream(
        self,
        limit: Limit | None = None,
        tool: str | None = None,
        args: Mapping[str, Any] | Sequence[str] | str | None = None,
        kind: str | None = None,
        *,
        strategy: str | None = None,
        call_id: str | None = None,
        keep_prefixes: bool = False,
    ) -> Stream:
        """Return a file to write an output to while it comes; closing it returns the reply."""
        facts = self._facts(limit, tool, args, kind, strategy, call_id, None, False, keep_prefixes)
        return Stream(self._engine.stream(facts))

    def _facts(
        self,
        limit: Limit | None,
        tool: str | None,
        args: Mapping[str, Any] | Sequence[str] | str | None,
        kind: str | None,
        strategy: str | None,
        call_id: str | None,
        exit_code: int | None,
        failed: bool,
        keep_prefixes: bool,
    ) -> CallFacts:
        limit = self._limit if limit is None else limit
        return {
            "tool": tool or "",
            "args": arguments_text(args),
            "call_id": call_id,
            "kind": kind,
            "limit": None if limit is None else str(limit),
            "strategy": strategy,
            "keep_prefixes": keep_prefixes,
            "exit_code": exit_code,
            "failed": failed,
        }

    def show(self, handle: str, lines: LineSpan | None = None, *, tail: int | None = None) -> str:
        """Return a kept output: all of it, some lines, or its last `tail` lines. `last` is the newest one."""
        return _native.read(self._engine, handle, _span(lines), tail)

    def grep(
        self,
        handle: str,
        pattern: str,
        *,
        context: int = 0,
        max_matches: int | None = None,
        lines: LineSpan | None = None,
        ignore_case: bool = False,
    ) -> str:
        """Return the lines of a kept output that match a regular expression, each with its number."""
        pattern = f"(?i){pattern}" if ignore_case else pattern
        return _native.grep(self._engine, handle, pattern, context, max_matches, _span(lines))

    def query(self, handle: str, path: str, *, offset: int = 0) -> list[Any]:
        """Return what a JSONPath (RFC 9535) selects in a kept output that is JSON or NDJSON."""
        found: list[Any] = json.loads(_native.query(self._engine, handle, path, offset))
        return found

    def search(self, words: str, limit: int = 10) -> list[Passage]:
        """Return the passages of all kept outputs of the session that fit some words best, best first."""
        if not words.strip():
            raise ValueError("the words to search for are empty")
        found = json.loads(_native.search(self._engine, words, limit))
        return [_passage(hit["artifact"], hit["passage"]) for hit in found]

    def extract(
        self,
        handle: str,
        what: str,
        mode: Literal["auto", "full-chunked", "truncate", "search"] = "auto",
        *,
        model: Model | None = None,
        context_tokens: int = 128_000,
        output_tokens: int = 4_096,
    ) -> Extraction:
        """Answer a question about a kept output.

        With a `model` it is read whole, chunk by chunk; without one the passages that fit the words best are returned.
        There is always an answer: what goes wrong is its text, and `failed`.
        """
        text, facts = _native.extract(self._engine, handle, what, mode, model, context_tokens, output_tokens)
        said = json.loads(facts)
        return Extraction(text, said["failed"], said["account"])

    def artifacts(self) -> list[dict[str, Any]]:
        """Return the facts about each kept output of the session, oldest first."""
        found: list[dict[str, Any]] = json.loads(_native.artifacts(self._engine))
        return found

    def retain(
        self,
        messages: Messages,
        *,
        window: int = 2,
        lines: int = 3,
        mode: Literal["window", "pays", "off"] = "window",
        cut: bool = False,
        turn: int | None = None,
        format: Literal["anthropic", "openai-chat", "openai-responses", "gemini", "neutral"] | None = None,
        protect: Iterable[str] = (),
        price: str | None = None,
    ) -> Retained:
        """Shorten the old tool results of a conversation; each is kept whole, and its notice says what to call.

        messages: a list of messages of Anthropic's or OpenAI's APIs, or the body of a request. It is not changed:
            the result shares with it all that stays the same.
        window, lines: results are whole for so many turns, and have so many lines afterwards.
        mode: `pays` shortens only when that saves money, given the provider's prompt cache and prices.
        cut: whether new results over the limit are cut as well.
        protect: tools whose results are never shortened.

        The same conversation gives the same messages every time, so that prompt caches hold.
        """
        settings: RetainSettings = {
            "window": window,
            "lines": lines,
            "mode": mode,
            "cut": cut,
            "declared": True,
            "protect": list(protect),
            "price": price,
        }
        return retained(messages, lambda body: _native.retain(self._engine, body, format, turn, settings))

    def get_artifact(
        self,
        id: str,
        lines: str | None = None,
        start_line: int | None = None,
        end_line: int | None = None,
        start_byte: int | None = None,
        end_byte: int | None = None,
        query: str | None = None,
        pattern: str | None = None,
        context: int | None = None,
        max_matches: int | None = None,
        offset: int | None = None,
    ) -> str:
        """Read a stored tool output back: whole (in pages), or by one of lines, bytes, query, pattern.

        This is the tool that notices name, to be given to the model: its answer is a page with the next call under
        it, or a sentence that says what was wrong.

        Args:
            id: The artifact's id as a notice gives it (`9kgw`), or `last`.
            lines: Lines as a gap prints them: `1422-1832`; `b39-4983` are bytes.
            start_line: First line, from 1.
            end_line: Last line, inclusive.
            start_byte: First byte, from 0.
            end_byte: The byte behind the last one.
            query: A JSONPath (RFC 9535), for JSON and NDJSON.
            pattern: A regular expression; lines that match.
            context: Lines shown before and after a match.
            max_matches: Most matches shown (100).
            offset: Nodes of the query's result to skip.
        """
        given = {
            "id": id,
            "lines": lines,
            "start_line": start_line,
            "end_line": end_line,
            "start_byte": start_byte,
            "end_byte": end_byte,
            "query": query,
            "pattern": pattern,
            "context": context,
            "max_matches": max_matches,
            "offset": offset,
        }
        asked = {key: value for key, value in given.items() if value is not None}
        try:
            return _native.page(self._engine, json.dumps(asked))
        except OffcutError as error:
            return f"error: {error}"

    def get_task_trace(self, traceId: str) -> str:
        """Return the whole text of a tool result that a conversation no longer carries, in pages, for a model."""
        try:
            return _native.trace(self._engine, traceId)
        except OffcutError as error:
            return f"error: {error}"

    @overload
    def tool(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        limit: Limit | None = None,
        kind: str | None = None,
        strategy: str | None = None,
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        limit: Limit | None = None,
        kind: str | None = None,
        strategy: str | None = None,
    ) -> Callable[..., Any]:
        """Cut what a function returns, where that is text: a decorator for tools, sync and async.

        The function's name and arguments are those of the call; signature, annotations and docstring stay, so that
        frameworks see the same tool. What is not text (`str` or `bytes`) is returned as it is.
        """

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            tool_name = name or getattr(function, "__name__", "tool")
            return wrapped(
                function, lambda output, args: str(self.cut(output, limit, tool_name, args, kind, strategy=strategy))
            )

        return decorate if function is None else decorate(function)

    def close(self) -> None:
        """End the session; with `artifacts.cleanup_on_exit` its outputs go."""
        self._engine.close()

    def __enter__(self) -> Offcut:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Offcut session {self.session!r}>"


def arguments_text(args: Mapping[str, Any] | Sequence[str] | str | None) -> str:
    """Return a call's arguments as the library takes them: JSON, or a command line as it stands."""
    if args is None or isinstance(args, str):
        return args or ""
    return json.dumps(args, ensure_ascii=False, default=str)


def _span(lines: LineSpan | None) -> str | None:
    if lines is None or isinstance(lines, str):
        return lines
    if isinstance(lines, int):
        return str(lines)
    first, last = lines
    return f"{first}-{last}"


def _passage(artifact: dict[str, Any], passage: dict[str, Any]) -> Passage:
    source = artifact["source"]
    return Passage(
        artifact_id=artifact["id"],
        tool=source.get("tool", ""),
        args=source.get("arguments", ""),
        first_line=passage["first_line"],
        last_line=passage["last_line"],
        text=passage["text"],
        score=passage["score"],
    )
