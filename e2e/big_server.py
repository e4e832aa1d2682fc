#!/usr/bin/env python3
"""An MCP server over stdio with one tool, `show`, whose result is 300 KB with the decisive line in the middle.

It speaks the handshake of 2024-11-05 to 2025-11-25 and needs nothing but Python.
"""

import json
import sys

LINES = 3000
DECISIVE = 1500


def log() -> list[str]:
    """The lines of the result: the same every time."""
    lines = []
    for n in range(1, LINES + 1):
        if n == DECISIVE:
            lines.append("2026-11-15T10:25:00Z ERROR payment-worker: charge 8812 failed: card_declined_by_issuer (order 7741)")
        else:
            lines.append(
                f"2026-11-15T10:{n // 60 % 60:02}:{n % 60:02}Z INFO  payment-worker: request {n * 7919 % 100003:06} "
                f"handled in {n * 31 % 97} ms, queue depth {n * 17 % 23}"
            )
    return lines


def answer(method: str, params: dict) -> dict | None:
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-11-25"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "big", "version": "1"},
        }
    if method == "tools/list":
        schema = {"type": "object", "properties": {}}
        tool = {"name": "show", "description": "Shows the log of the payment worker", "inputSchema": schema}
        # Lets Claude Code pass a large result on instead of saving it to a file of its own.
        return {"tools": [{**tool, "_meta": {"anthropic/maxResultSizeChars": 500_000}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "\n".join(log()) + "\n"}]}
    if method == "ping":
        return {}
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": f"unknown method {message['method']}"}
        else:
            reply["result"] = result
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
