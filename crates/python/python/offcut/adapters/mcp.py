"""MCP's Python SDK: a server's tools by decorator.

from mcp.server import MCPServer
from offcut.adapters.mcp import OffcutTools

server = MCPServer("build")
tools = OffcutTools(server)

@tools.tool()
def run_build(target: str) -> str: …
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

from .._offcut import Limit, Offcut
from ._common import DESCRIPTION, NAME

P = ParamSpec("P")
R = TypeVar("R")


class Server(Protocol):
    """A server of MCP's SDK: `MCPServer`, and `FastMCP` of its first version."""

    def tool(self, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """Register a tool."""
        ...


class OffcutTools:
    """Registers tools whose text is cut, and the tool `get_artifact` that notices name.

    Results are text only: several clients show a model `structuredContent` in place of the text, and what is cut has
    none.
    """

    def __init__(self, server: Server, oc: Offcut | None = None) -> None:
        self.oc = oc or Offcut()
        self._server = server
        server.tool(name=NAME, description=DESCRIPTION, structured_output=False)(self.oc.get_artifact)

    def tool(
        self, *, name: str | None = None, limit: Limit | None = None, **settings: Any
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Register a function as a tool whose text is cut; `settings` are those of the server's own decorator."""

        def decorate(function: Callable[P, R]) -> Callable[P, R]:
            cutting = self.oc.tool(name=name, limit=limit)(function)
            self._server.tool(name=name, **{"structured_output": False, **settings})(cutting)
            return function

        return decorate
