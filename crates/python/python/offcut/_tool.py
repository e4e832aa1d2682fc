"""What makes a tool of a function whose output is cut."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

Cut = Callable[[Any, dict[str, Any]], str]
"""Cuts an output of a call with these arguments."""

_LONG = 256 * 1024

_PLAIN = (str, int, float, bool, list, tuple, dict, os.PathLike, type(None))


def wrapped(function: Callable[..., Any], cut: Cut) -> Callable[..., Any]:
    """Return `function` with its text cut; a coroutine function stays one."""
    signature = inspect.signature(function)

    def arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs).arguments
        # A framework's own objects (`self`, a run's context) are no arguments of the call.
        return {name: value for name, value in bound.items() if isinstance(value, _PLAIN)}

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            output = await function(*args, **kwargs)
            if not isinstance(output, str | bytes):
                return output
            if len(output) < _LONG:
                return cut(output, arguments(args, kwargs))
            # What takes more than a moment must not hold up the event loop.
            return await asyncio.to_thread(cut, output, arguments(args, kwargs))

        return call_async

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        output = function(*args, **kwargs)
        return cut(output, arguments(args, kwargs)) if isinstance(output, str | bytes) else output

    return call
