"""LlamaIndex.

from llama_index.core.agent.workflow import FunctionAgent
from offcut.adapters.llama_index import cut_tools

agent = FunctionAgent(tools=cut_tools([run_build]), llm=llm)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.tools.types import BaseTool, adapt_to_async_tool

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, cut_text


class CutTool(AsyncBaseTool):
    """A tool whose text is cut."""

    def __init__(self, tool: BaseTool, oc: Offcut) -> None:
        self._tool = adapt_to_async_tool(tool)
        self._oc = oc

    @property
    def metadata(self) -> ToolMetadata:
        """What the model is told about the tool."""
        return self._tool.metadata

    def call(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """Call the tool and cut its text."""
        return self._cut(self._tool.call(*args, **kwargs), kwargs)

    async def acall(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """Call the tool and cut its text."""
        output = await self._tool.acall(*args, **kwargs)
        return await asyncio.to_thread(self._cut, output, kwargs)

    def _cut(self, output: ToolOutput, args: dict[str, Any]) -> ToolOutput:
        for block in output.blocks:
            text = getattr(block, "text", None)
            if isinstance(text, str):
                shown = cut_text(self._oc, text, output.tool_name, args, failed=output.is_error)
                setattr(block, "text", shown)  # noqa: B010
        return output


def artifact_tool(oc: Offcut) -> BaseTool:
    """Return the tool that notices name, for the model."""
    return FunctionTool.from_defaults(oc.get_artifact, name=NAME, description=DESCRIPTION)


def cut_tools(tools: Iterable[BaseTool | Callable[..., Any]], oc: Offcut | None = None) -> list[BaseTool]:
    """Return the tools, or functions, with the text that they return cut, and `get_artifact`."""
    oc = oc or Offcut()
    made = [tool if isinstance(tool, BaseTool) else FunctionTool.from_defaults(tool) for tool in tools]
    return [*(CutTool(tool, oc) for tool in made), artifact_tool(oc)]
