"""What the adapters have in common: the tool that notices name, and what of a result is text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .._offcut import Offcut

NAME = "get_artifact"
"""The name of the tool that reads stored outputs back; its results are pages, and never cut again."""

DESCRIPTION = "Read a stored output: lines, bytes, JSONPath, regex"
"""What a model is told about it. It pays for this in every turn."""

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "lines": _TEXT,
        "start_line": _NUMBER,
        "end_line": _NUMBER,
        "start_byte": _NUMBER,
        "end_byte": _NUMBER,
        "query": _TEXT,
        "pattern": _TEXT,
        "context": _NUMBER,
        "max_matches": _NUMBER,
        "offset": _NUMBER,
    },
    "required": ["id"],
}
"""The JSON Schema of its arguments."""


def retrieve(oc: Offcut, arguments: Mapping[str, Any] | str) -> str:
    """Answer a call of the tool with these arguments, a mapping or JSON; what is wrong with them is the answer."""
    try:
        given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
        return oc.get_artifact(**given)
    except (TypeError, ValueError) as error:
        return f"error: {error}"


def cut_text(oc: Offcut, text: str, tool: str, args: Any, *, failed: bool = False) -> str:
    """Return what the model is shown of a tool's text."""
    if tool == NAME:
        return text
    return str(oc.cut(text, tool=tool, args=args, failed=failed))


def cut_blocks(content: Any, cut: Callable[[str], str]) -> Any:
    """Return a message's content with its texts cut: a text, or a list of texts and blocks."""
    if isinstance(content, str):
        return cut(content)
    if not isinstance(content, list):
        return content
    return [_cut_block(block, cut) for block in content]


def _cut_block(block: Any, cut: Callable[[str], str]) -> Any:
    if isinstance(block, str):
        return cut(block)
    if isinstance(block, dict) and block.get("type") in ("text", "input_text") and isinstance(block.get("text"), str):
        return {**block, "text": cut(block["text"])}
    return block
