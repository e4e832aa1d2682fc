"""Conversations as Python holds them: lists of dicts and of the SDKs' objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Messages: TypeAlias = "Sequence[Any] | Mapping[str, Any]"
"""A list of messages (dicts, or objects of the vendors' SDKs), or the body of a request."""


@dataclass(frozen=True)
class Retained:
    """A conversation whose old tool results are shortened."""

    messages: Any
    """The conversation, in the shape that it came in."""
    report: dict[str, Any]
    """What was changed, and the tokens before and after."""


def retained(messages: Messages, rewrite: Callable[[str], tuple[str | None, str]]) -> Retained:
    """Rewrite a conversation as JSON, and put what changed into a copy of it."""
    if isinstance(messages, str | bytes) or not isinstance(messages, Mapping | Sequence):
        raise TypeError(f"a conversation is a list of messages or the body of a request, not {type(messages).__name__}")
    key = None if isinstance(messages, Mapping) else _key(messages)
    # A bare list declares no tools; that the model has this one is what notices rely on.
    body = messages if key is None else {"tools": [{"name": "get_artifact"}], key: list(messages)}
    new, report = rewrite(json.dumps(body, ensure_ascii=False, default=plain))
    if new is None:
        return Retained(messages, json.loads(report))
    changed = json.loads(new)
    return Retained(merged(messages, changed if key is None else changed[key]), json.loads(report))


def _key(messages: Sequence[Any]) -> str:
    """Return the member of a request's body that such a list is: `input` for items of the Responses API."""
    kinds = {str(_get(message, "type")) for message in messages}
    return "input" if any(kind.startswith(("function_call", "custom_tool_call")) for kind in kinds) else "messages"


def _get(message: Any, key: str) -> Any:
    return message.get(key) if isinstance(message, Mapping) else getattr(message, key, None)


def plain(value: Any) -> Any:
    """Return an SDK's object as JSON knows it."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset) or hasattr(value, "__iter__"):
        return list(value)
    return str(value)


def merged(old: Any, new: Any) -> Any:
    """Return `old` with what `new` says otherwise; parts that are the same are shared, and nothing is changed."""
    if isinstance(old, Mapping) and isinstance(new, dict):
        parts = {key: merged(value, new.get(key, value)) for key, value in old.items()}
        return parts if any(parts[key] is not old[key] for key in parts) else old
    if isinstance(old, list | tuple) and isinstance(new, list) and len(old) == len(new):
        items = [merged(before, after) for before, after in zip(old, new, strict=True)]
        same = all(before is after for before, after in zip(old, items, strict=True))
        return old if same else items
    if isinstance(old, str | int | float | bool | None):
        return old if old == new else new
    return old if json.loads(json.dumps(old, ensure_ascii=False, default=plain)) == new else new
