"""OpenAI's SDK: tool results in lists of messages (Chat Completions) and of items (Responses).

from offcut.adapters.openai import CHAT_TOOL, prepared, tool_message

response = client.chat.completions.create(messages=prepared(oc, messages), tools=[*tools, CHAT_TOOL], …)
for call in response.choices[0].message.tool_calls or []:
    messages.append(tool_message(oc, call, lambda args: run(call.function.name, args)))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, SCHEMA, cut_blocks, cut_text, retrieve

CHAT_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
}
"""The tool that notices name, for `tools=` of Chat Completions."""

RESPONSES_TOOL: dict[str, Any] = {"type": "function", "name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}
"""The same for `tools=` of Responses."""


def tool_message(oc: Offcut, call: Any, run: Callable[[Any], Any]) -> dict[str, Any]:
    """Run a tool call of Chat Completions and return its `tool` message, cut.

    run: is called with the parsed arguments and returns the message's content. Calls of `get_artifact` are answered
    here; an exception becomes a message that says so.
    """
    content = _content(oc, call.function.name, call.function.arguments, run)
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def function_output(oc: Offcut, call: Any, run: Callable[[Any], Any]) -> dict[str, Any]:
    """Do the same for a `function_call` item of Responses; returns its `function_call_output`."""
    content = _content(oc, call.name, call.arguments, run)
    return {"type": "function_call_output", "call_id": call.call_id, "output": content}


def prepared(oc: Offcut, messages: Sequence[Any], **settings: Any) -> list[Any]:
    """Return messages or items as they are to be sent: results over the limit cut, old ones shortened.

    `settings` are those of `Offcut.retain`. The same messages give the same bytes every turn, so that prompt caches
    hold.
    """
    return list(oc.retain(messages, **{"cut": True, **settings}).messages)


def _content(oc: Offcut, tool: str, arguments: str, run: Callable[[Any], Any]) -> Any:
    if tool == NAME:
        return retrieve(oc, arguments)
    try:
        content, failed = run(json.loads(arguments or "{}")), False
    except Exception as error:
        content, failed = f"{type(error).__name__}: {error}", True
    return cut_blocks(content, lambda text: cut_text(oc, text, tool, arguments, failed=failed))
