"""smolagents.

from smolagents import ToolCallingAgent
from offcut.adapters.smolagents import cut_tools

agent = ToolCallingAgent(tools=cut_tools([run_build]), model=model)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from smolagents import Tool

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, SCHEMA, cut_text, retrieve


class ArtifactTool(Tool):
    """The tool that notices name."""

    name = NAME
    description = DESCRIPTION
    inputs = {  # noqa: RUF012
        key: {"type": kind["type"], "description": key.replace("_", " "), **({} if key == "id" else {"nullable": True})}
        for key, kind in SCHEMA["properties"].items()
    }
    output_type = "string"
    skip_forward_signature_validation = True

    def __init__(self, oc: Offcut) -> None:
        super().__init__()
        self.oc = oc

    def forward(self, **arguments: Any) -> str:
        """Answer a call."""
        return retrieve(self.oc, {key: value for key, value in arguments.items() if value is not None})


def cut_tools(tools: Iterable[Tool], oc: Offcut | None = None) -> list[Tool]:
    """Return the tools with the text that they return cut, and `get_artifact`.

    They are the same objects: what an agent calls from now on is cut.
    """
    oc = oc or Offcut()
    tools = list(tools)
    for tool in tools:
        _cut(tool, oc)
    return [*tools, ArtifactTool(oc)]


def _cut(tool: Tool, oc: Offcut) -> None:
    forward = tool.forward

    def cut(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        given = {**dict(zip(tool.inputs, args, strict=False)), **kwargs}
        return cut_text(oc, output, tool.name, given) if isinstance(output, str) else output

    tool.forward = cut
