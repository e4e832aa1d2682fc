#!/usr/bin/env python3
"""Records sessions of the official Python client with real servers: alone, behind `offcut wrap`, and all of them behind
one `offcut wrap --servers`; and compares.

    scripts/mcp-transparency.py [--servers DIR] [--offcut PATH]

DIR is where `npm i @modelcontextprotocol/server-everything …-filesystem …-memory` was run; the Python package `mcp`
must be importable. Exits with 0 if nothing differs but cut results and the added tools, with 1 if something does, and
with 0 and a loud word if the peers are not there.
"""

import argparse
import asyncio
import base64
import json
import os
import re
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--servers", default=os.environ.get("MCP_SERVERS_DIR", "target/mcp-servers"))
parser.add_argument("--offcut", default="target/debug/offcut")
arguments = parser.parse_args()

try:
    from mcp import Client, StdioServerParameters
except ImportError as error:
    print(f"skipped: the Python package mcp is not there: {error}", file=sys.stderr)
    sys.exit(0)

# Far more than a session takes: one that takes longer hangs.
PATIENCE = 60

OURS = re.compile(r"^(offcut_)?(get_artifact|tool_output|get_task_trace)$")


def server(name):
    return os.path.join(arguments.servers, "node_modules/@modelcontextprotocol", name, "dist/index.js")


def plain(value):
    """A result as JSON, as the client parsed it, without the time of day."""
    dumped = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return json.loads(re.sub(r"\d+:\d\d:\d\d [AP]M", "TIME", json.dumps(dumped)))


async def record(command, calls, folder, environment, prefix=""):
    """Everything that the client can ask, and what it got."""
    log = []

    def of_server(listed):
        """What a server behind a prefix lists, under the names that it gives; our own tools stay."""
        for key in ("tools", "prompts"):
            if key in listed and prefix:
                own = [dict(item, name=item["name"].removeprefix(prefix)) for item in listed[key]
                       if item["name"].startswith(prefix) or OURS.match(item["name"])]
                listed = dict(listed, **{key: own})
        return listed

    heard = []

    async def note(message):
        if not isinstance(message, Exception):
            heard.append(plain(message))

    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment, cwd=folder)
    async with Client(parameters, message_handler=note) as client:
        log.append(("protocol", client.protocol_version))
        for what in ("list_tools", "list_prompts", "list_resources", "list_resource_templates"):
            try:
                log.append((what, of_server(plain(await getattr(client, what)()))))
            except Exception as error:
                log.append((what, f"{type(error).__name__}: {error}"))
        for name, values in calls:
            try:
                log.append((f"call {name}", plain(await client.call_tool(prefix + name, values))))
            except Exception as error:
                log.append((f"call {name}", f"{type(error).__name__}: {error}"))
    # Our own tools are news too, once there is something to ask about.
    heard = [entry for entry in heard if entry.get("method") != "notifications/tools/list_changed"]
    log.append(("notifications", sorted(json.dumps(entry, sort_keys=True) for entry in heard)))
    return log


def cut(result):
    return isinstance(result, dict) and "offcut/report" in (result.get("_meta") or {})


def of_others(what, before, after):
    """What only others of several servers have: a list that this one does not have, resources that are not its own."""
    if isinstance(before, str) and what.startswith("list_"):
        return before
    if isinstance(after, dict) and what in ("list_resources", "list_resource_templates"):
        key, uri = ("resources", "uri") if what == "list_resources" else ("resourceTemplates", "uriTemplate")
        own = {item[uri] for item in before[key]}
        return dict(after, **{key: [item for item in after[key] if item[uri] in own]})
    return after


def differences(without, wrapped, several):
    found = []
    for (what, before), (_, after) in zip(without, wrapped, strict=True):
        after = of_others(what, before, after) if several else after
        if what == "list_tools":
            own = [tool["name"] for tool in after["tools"] if OURS.match(tool["name"])]
            after = dict(after, tools=[tool for tool in after["tools"] if not OURS.match(tool["name"])])
            before = dict(before, tools=[{k: v for k, v in tool.items() if k != "outputSchema"} for tool in before["tools"]])
            print(f"    added: {', '.join(own)}")
        if cut(after):
            texts = [block.get("text", "") for block in after["content"]]
            size = sum(len(text) for text in texts)
            before_size = sum(len(block.get("text", "")) for block in before["content"])
            named = any("[offcut " in text for text in texts)
            print(f"    cut: {what}, {before_size} to {size} characters")
            if size > 8000 or not named or "structuredContent" in after:
                found.append(f"{what}: cut wrongly")
            continue
        if before != after:
            found.append(f"{what}:\n  without {json.dumps(before)[:2000]}\n  wrapped {json.dumps(after)[:2000]}")
    return found


async def main():
    names = ["server-everything", "server-filesystem", "server-memory"]
    missing = [name for name in names if not os.path.exists(server(name))]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)}", file=sys.stderr)
        return 0
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        rows = [{"id": n, "name": f"row {n}", "state": "ok"} for n in range(5000)]
        with open(os.path.join(folder, "b.json"), "w") as file:
            json.dump(rows, file)
        with open(os.path.join(folder, "small.txt"), "w") as file:
            file.write("a small file\n")
        with open(os.path.join(folder, "tiny.png"), "wb") as file:
            file.write(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
        entities = [{"name": f"e{n}", "entityType": "t", "observations": [f"saw {n} things"]} for n in range(800)]
        plans = {
            "server-everything": (["stdio"], [
                ("echo", {"message": "hello"}), ("echo", {"message": "word " * 40000}), ("get-sum", {"a": 2, "b": 3}),
                ("get-tiny-image", {}), ("get-resource-links", {"count": 3}), ("get-structured-content", {"location": "New York"}),
                ("get-annotated-message", {"messageType": "error", "includeImage": True}),
                ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
                ("trigger-long-running-operation", {"duration": 1, "steps": 3}), ("no-such-tool", {}),
            ]),
            "server-filesystem": ([folder], [
                ("read_text_file", {"path": f"{folder}/small.txt"}), ("read_text_file", {"path": f"{folder}/b.json"}),
                ("read_media_file", {"path": f"{folder}/tiny.png"}), ("list_directory", {"path": folder}),
                ("read_text_file", {"path": "/etc/shadow"}), ("list_allowed_directories", {}),
            ]),
            "server-memory": ([], [
                ("create_entities", {"entities": entities}), ("read_graph", {}), ("search_nodes", {"query": "e77"}),
                ("open_nodes", {"names": ["e1"]}), ("delete_entities", {"entityNames": ["e1"]}),
            ]),
        }
        # Everything that is written to the folder that a server lists is there before it lists it for the first time.
        wrap = [os.path.abspath(arguments.offcut), "wrap", "--store", os.path.join(folder, "store")]
        os.mkdir(os.path.join(folder, "store"))
        for name in ("memory-0.json", "memory-1.json", "memory-2.json", "servers.json"):
            open(os.path.join(folder, name), "w").close()
        prefixes = {name: name.removeprefix("server-") for name in plans}
        table = {prefixes[name]: {"command": "node", "args": [server(name), *extra]} for name, (extra, _) in plans.items()}
        with open(os.path.join(folder, "servers.json"), "w") as file:
            json.dump({"servers": table}, file)
        for name, (extra, calls) in plans.items():
            command = ["node", server(name), *extra]
            without = None
            ways = (
                ("alone", command, ""),
                ("behind wrap", [*wrap, "--", *command], ""),
                ("one of three", [*wrap, "--servers", os.path.join(folder, "servers.json")], f"{prefixes[name]}_"),
            )
            for at, (how, line, prefix) in enumerate(ways):
                environment = dict(os.environ, MEMORY_FILE_PATH=os.path.join(folder, f"memory-{at}.json"))
                log = await asyncio.wait_for(record(line, calls, folder, environment, prefix), PATIENCE)
                if without is None:
                    without = log
                    continue
                print(f"{name}, {how}")
                found = differences(without, log, bool(prefix))
                print(f"    {len(log)} answers compared, {len(found)} differ")
                for difference in found:
                    print(difference)
                failures += len(found)
    return 1 if failures else 0


sys.exit(asyncio.run(main()))
