"""Anthropic's SDK: tool results in lists of messages.

from offcut.adapters.anthropic import TOOL, prepared, tool_result

response = client.messages.create(messages=prepared(oc, messages), tools=[*tools, TOOL], …)
for block in response.content:
    if block.type == "tool_use":
        results.append(tool_result(oc, block, lambda args: run(block.name, args)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, SCHEMA, cut_blocks, cut_text, retrieve

TOOL: dict[str, Any] = {"name": NAME, "description": DESCRIPTION, "input_schema": SCHEMA}
"""The tool that notices name, for `tools=`."""


def tool_result(oc: Offcut, block: Any, run: Callable[[Any], Any]) -> dict[str, Any]:
    """Run the call of a `tool_use` block and return its `tool_result` block, cut.

    run: is called with the block's input and returns the result's content. Calls of `get_artifact` are answered here;
    an exception becomes a result that says so.
    """
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": block.id}
    if block.name == NAME:
        return {**result, "content": retrieve(oc, block.input)}
    try:
        content, failed = run(block.input), False
    except Exception as error:
        content, failed = f"{type(error).__name__}: {error}", True
    cut = cut_blocks(content, lambda text: cut_text(oc, text, block.name, block.input, failed=failed))
    return {**result, "content": cut, **({"is_error": True} if failed else {})}


def prepared(oc: Offcut, messages: Sequence[Any], **settings: Any) -> list[Any]:
    """Return the messages as they are to be sent: results over the limit cut, old ones shortened.

    `settings` are those of `Offcut.retain`. The same messages give the same bytes every turn, so that prompt caches
    hold.
    """
    return list(oc.retain(messages, **{"cut": True, "format": "anthropic", **settings}).messages)
