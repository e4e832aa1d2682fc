"""LangChain and LangGraph: middleware for `create_agent`, and for deepagents.

from langchain.agents import create_agent
from offcut.adapters.langchain import OffcutMiddleware

agent = create_agent(model, tools, middleware=[OffcutMiddleware()])
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from .._offcut import Offcut
from ._common import DESCRIPTION, NAME, SCHEMA, cut_blocks, cut_text, retrieve


def artifact_tool(oc: Offcut) -> BaseTool:
    """Return the tool that notices name, for the model."""

    def get_artifact(**arguments: Any) -> str:
        return retrieve(oc, arguments)

    return StructuredTool.from_function(get_artifact, name=NAME, description=DESCRIPTION, args_schema=SCHEMA)


class OffcutMiddleware(AgentMiddleware[Any, Any]):
    """Cuts what tools return before it enters the conversation, and gives the model `get_artifact`.

    oc: limits, store and session; the profile `auto` with outputs in memory where it is not given.
    retain: whether tool results that are two turns old are sent to the model shortened; the state keeps them as they
        are.
    """

    def __init__(self, oc: Offcut | None = None, *, retain: bool = False) -> None:
        super().__init__()
        self.oc = oc or Offcut()
        self.retain = retain
        self.tools = [artifact_tool(self.oc)]

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Call the tool and cut its result."""
        return self._cut(request, handler(request))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Call the tool and cut its result."""
        return await asyncio.to_thread(self._cut, request, await handler(request))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Ask the model, with old results shortened where that is wanted."""
        return handler(self._retained(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Ask the model, with old results shortened where that is wanted."""
        return await handler(await asyncio.to_thread(self._retained, request))

    def _cut(self, request: ToolCallRequest, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
        call = request.tool_call
        if isinstance(result, ToolMessage):
            return self._cut_message(result, call["name"], call["args"])
        update = result.update
        if not isinstance(update, dict) or not isinstance(update.get("messages"), list):
            return result
        messages = [
            self._cut_message(message, call["name"], call["args"]) if isinstance(message, ToolMessage) else message
            for message in update["messages"]
        ]
        return Command(
            graph=result.graph, update={**update, "messages": messages}, resume=result.resume, goto=result.goto
        )

    def _cut_message(self, message: ToolMessage, tool: str, args: Any) -> ToolMessage:
        failed = message.status == "error"
        content = cut_blocks(message.content, lambda text: cut_text(self.oc, text, tool, args, failed=failed))
        return message.model_copy(update={"content": content})

    def _retained(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        return request.override(messages=retained_messages(self.oc, request.messages)) if self.retain else request


def retained_messages(oc: Offcut, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the messages with old tool results shortened; the others are the same objects."""
    shortened = oc.retain([_plain(message) for message in messages]).messages
    new = []
    for message, plain in zip(messages, shortened, strict=True):
        if isinstance(message, ToolMessage) and plain["content"] != message.content:
            message = message.model_copy(update={"content": plain["content"]})
        new.append(message)
    return new


def _plain(message: AnyMessage) -> dict[str, Any]:
    if isinstance(message, AIMessage):
        calls = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": str(call["args"])}}
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": message.content, "tool_calls": calls}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    return {"role": "user", "content": message.content}
