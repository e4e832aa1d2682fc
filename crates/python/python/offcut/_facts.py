"""What the native module is told, as it takes it."""

from __future__ import annotations

from typing import TypedDict


class CallFacts(TypedDict):
    """What a caller says about one output."""

    tool: str
    args: str
    call_id: str | None
    kind: str | None
    limit: str | None
    strategy: str | None
    keep_prefixes: bool
    exit_code: int | None
    failed: bool


class RetainSettings(TypedDict):
    """How a conversation is treated."""

    window: int
    lines: int
    mode: str
    cut: bool
    declared: bool
    protect: list[str]
    price: str | None
