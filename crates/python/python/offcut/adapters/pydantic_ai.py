"""Pydantic AI: a capability.

from pydantic_ai import Agent
from offcut.adapters.pydantic_ai import OffcutCapability

agent = Agent("openai:gpt-5", tools=[run_build], capabilities=[OffcutCapability()])
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel
from pydantic_ai import RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ToolCallPart, ToolReturn
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset
from pydantic_core import to_json

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, SCHEMA, cut_text, retrieve


@dataclass
class OffcutCapability(AbstractCapability[Any]):
    """Cuts what tools return before it enters the conversation, and gives the model `get_artifact`.

    Results that are not text (dicts, models) are cut as the JSON that the model would read, where that is too long.
    """

    oc: Offcut = field(default_factory=Offcut)

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the tool that notices name, for the model."""

        def get_artifact(**arguments: Any) -> str:
            return retrieve(self.oc, arguments)

        tool = Tool.from_schema(get_artifact, name=NAME, description=DESCRIPTION, json_schema=SCHEMA)
        return FunctionToolset([tool])

    async def after_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], result: Any
    ) -> Any:
        """Cut the result of a call."""
        if isinstance(result, ToolReturn):
            return replace(result, return_value=await asyncio.to_thread(self._cut, call, result.return_value))
        return await asyncio.to_thread(self._cut, call, result)

    def _cut(self, call: ToolCallPart, result: Any) -> Any:
        if isinstance(result, str):
            return cut_text(self.oc, result, call.tool_name, call.args_as_json_str())
        if not isinstance(result, dict | list | tuple | BaseModel):
            return result
        try:
            text = to_json(result).decode()
        except ValueError:
            return result
        reply = self.oc.cut(text, tool=call.tool_name, args=call.args_as_json_str(), kind="json")
        return str(reply) if reply.was_truncated else result
