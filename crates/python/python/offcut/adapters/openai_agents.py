"""OpenAI Agents SDK.

from agents import Agent, Runner
from offcut.adapters.openai_agents import with_offcut

agent = with_offcut(Agent(name="builder", tools=[run_build]))
result = await Runner.run(agent, "why does the build fail?")
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterable
from typing import Any

from agents import Agent, FunctionTool, ToolOutputText
from agents.run import CallModelData, ModelInputData
from agents.tool import Tool
from agents.tool_context import ToolContext

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, SCHEMA, cut_blocks, cut_text, retrieve


def artifact_tool(oc: Offcut) -> FunctionTool:
    """Return the tool that notices name, for the model."""

    async def get_artifact(context: ToolContext[Any], arguments: str) -> str:
        return retrieve(oc, arguments)

    return FunctionTool(
        name=NAME,
        description=DESCRIPTION,
        params_json_schema=SCHEMA,
        on_invoke_tool=get_artifact,
        strict_json_schema=False,
    )


def cut_tools(tools: Iterable[Tool], oc: Offcut) -> list[Tool]:
    """Return the tools with what functions return cut; tools that OpenAI runs itself are the same objects."""
    return [_cut_tool(tool, oc) if isinstance(tool, FunctionTool) else tool for tool in tools]


def with_offcut(agent: Agent[Any], oc: Offcut | None = None) -> Agent[Any]:
    """Return a copy of the agent whose tools' results are cut, and which has `get_artifact`."""
    oc = oc or Offcut()
    return agent.clone(tools=[*cut_tools(agent.tools, oc), artifact_tool(oc)])


def input_filter(oc: Offcut, **settings: Any) -> Callable[[CallModelData[Any]], ModelInputData]:
    """Return a filter for `RunConfig(call_model_input_filter=…)` that treats whole conversations.

    It cuts every result over the limit, also those of MCP servers, and shortens old ones; `settings` are those of
    `Offcut.retain`. The session keeps them as they are.
    """
    settings = {"cut": True, **settings}

    def filtered(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        return ModelInputData(input=oc.retain(given.input, **settings).messages, instructions=given.instructions)

    return filtered


def _cut_tool(tool: FunctionTool, oc: Offcut) -> FunctionTool:
    invoke = tool.on_invoke_tool

    async def on_invoke_tool(context: ToolContext[Any], arguments: str) -> Any:
        output = await invoke(context, arguments)
        return await asyncio.to_thread(_cut_output, output, tool.name, arguments, oc)

    cutting = copy.copy(tool)
    cutting.on_invoke_tool = on_invoke_tool
    return cutting


def _cut_output(output: Any, tool: str, arguments: str, oc: Offcut) -> Any:
    def cut(text: str) -> str:
        return cut_text(oc, text, tool, arguments)

    if isinstance(output, ToolOutputText):
        return ToolOutputText(text=cut(output.text))
    if isinstance(output, str | list):
        return cut_blocks(output, cut)
    if _is_structured(output):
        return output
    # The SDK sends everything else as its text.
    reply = oc.cut(str(output), tool=tool, args=arguments)
    return str(reply) if reply.was_truncated else output


def _is_structured(output: Any) -> bool:
    """Return whether it is one of the SDK's own outputs, such as an image."""
    return type(output).__name__.startswith("ToolOutput") or (isinstance(output, dict) and "type" in output)
