"""One official Python client and one server, from the handshake to the exit.

    python client.py legacy|auto|2026-07-28 NAME COMMAND... | URL

The `mcp` that is installed decides the generation. The first knows only the handshake (`legacy`).
The second asks with `server/discover` in mode `auto`; a version says that it need not ask. NAME is
what the server must call itself. A URL is of a server that runs already. Each check prints a line "ok ..." or "not ok ...", which `run` counts.
"""

import asyncio
import json
import logging
import os
import sys
from contextlib import asynccontextmanager

import jsonschema
import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

try:
    from mcp.client.streamable_http import streamablehttp_client
except ImportError:
    # The second generation takes an address for a server.
    streamablehttp_client = None

AT_ONCE = 200
MODERN = "2026-07-28"

IS_FIRST_GENERATION = not hasattr(mcp, "Client")
RemoteError = mcp.McpError if IS_FIRST_GENERATION else mcp.MCPError

with open(os.environ["CALLS"], encoding="utf-8") as file:
    TABLE = json.load(file)


async def main(mode, server_name, command, *arguments):
    complaints = Complaints(logging.WARNING)
    logging.getLogger().addHandler(complaints)
    is_http = command.startswith("http://")
    server = command if is_http else StdioServerParameters(command=command, args=list(arguments))
    async with connect(server, mode) as (client, introduction):
        # A client that was told the version has asked for nothing else.
        if mode != MODERN:
            await check("introduces itself", introduced(introduction, mode, server_name))
        await check("lists tools whose schemas are sound and agree with the calls", listing(client, server_name))
        for call in TABLE["calls"]:
            await check(title(call), verified(client, call))
        await check(f"answers {AT_ONCE} calls at once, each with its own", crowd(client))
        if mode == "legacy":
            await check("answers a ping", client.send_ping())
        else:
            await check("accepts a subscription", subscription(client))
    if not is_http:
        await check("exits with 0 when the client closes", ended())
    await check("gives no cause for complaint", silent(complaints))


@asynccontextmanager
async def connect(server, mode):
    if IS_FIRST_GENERATION:
        transport = streamablehttp_client(server) if isinstance(server, str) else stdio_client(server)
        async with transport as pipes, mcp.ClientSession(*pipes[:2]) as session:
            yield session, plain(await session.initialize())
    else:
        async with mcp.Client(server, mode=mode) as client:
            yield client, {
                "protocolVersion": client.protocol_version,
                "serverInfo": client.server_info and plain(client.server_info),
                "capabilities": plain(client.server_capabilities),
                "instructions": client.instructions,
            }


async def check(name, body):
    """Runs one check. A failed one does not keep the next from running."""
    try:
        await body
        print(f"ok {name}")
    except Exception as error:
        reason = repr(error).replace("\n", " ")
        print(f"not ok {name}: {reason}")


async def introduced(introduction, mode, server_name):
    same(introduction["serverInfo"]["name"], server_name)
    assert introduction["serverInfo"]["version"][0].isdigit(), introduction
    assert introduction["capabilities"]["tools"] is not None, introduction
    assert "search_packages" in introduction["instructions"], introduction
    same(introduction["protocolVersion"], "2025-11-25" if mode == "legacy" else MODERN)


async def listing(client, server_name):
    tools = plain(await client.list_tools())["tools"]
    names = [tool["name"] for tool in tools]
    if server_name == "shire":
        same(names, TABLE["tools"])
    same([name for name in TABLE["tools"] if name not in names], [])
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        validator = jsonschema.Draft202012Validator(tool["inputSchema"])
        for call in TABLE["calls"]:
            if call["tool"] == tool["name"]:
                assert validator.is_valid(call["arguments"]) == ("code" not in call), title(call)


async def verified(client, call):
    """Makes a call and holds what comes back against its row of the table."""
    try:
        result = plain(await client.call_tool(call["tool"], call["arguments"]))
    except RemoteError as error:
        same(error.error.code, call.get("code"))
        assert call["says"] in error.error.message, error
        return
    assert "code" not in call and not result.get("isError"), result
    [block] = result["content"]
    if "text" in call:
        same(block["text"], call["text"])
    else:
        structured = result["structuredContent"]
        same(json.loads(block["text"]), structured.get("results", structured))
        includes(structured, call["answer"])


async def crowd(client):
    def nobody(n):
        return {"tool": "get_package", "arguments": {"name": f"nobody-{n}"}, "text": f"Package 'nobody-{n}' not found"}

    calls = TABLE["calls"]
    mixed = [calls[n % len(calls)] if n % 2 else nobody(n) for n in range(AT_ONCE)]
    await asyncio.gather(*(verified(client, call) for call in mixed))


async def subscription(client):
    async with client.listen(tools_list_changed=True) as subscription:
        assert subscription.honored.tools_list_changed, subscription.honored


async def ended():
    with open(os.environ["ENDINGS"], encoding="utf-8") as file:
        same(file.read(), "0\n")


class Complaints(logging.Handler):
    """What the client logs, such as a line that is no message."""

    lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


async def silent(complaints):
    same(complaints.lines, [])


def includes(actual, expected):
    """Everything that `expected` says is so in `actual`, which may say more; lists say all."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            includes(actual[key], value)
    elif isinstance(expected, list):
        same(len(actual), len(expected))
        for item, value in zip(actual, expected):
            includes(item, value)
    else:
        same(actual, expected)


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def title(call):
    return f"{call['tool']} {json.dumps(call['arguments'], ensure_ascii=False)}"


def plain(model):
    """As it is on the wire, whatever this generation calls its fields."""
    return model.model_dump(by_alias=True, mode="json")


asyncio.run(main(*sys.argv[1:]))
