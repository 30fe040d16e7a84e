"""The official Python client, at every row of calls.json: over stdio, over HTTP and through the bridge, with a
handshake (legacy) and without one (auto). It checks every answer of a tool against the schema that the tool lists. Where
changes are told, it is told of one."""

import json
import sys
import warnings
from pathlib import Path

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.subscriptions import PromptsListChanged, ResourceUpdated
from mcp.types import PromptReference, ResourceTemplateReference

TABLE = json.loads(Path(__file__).with_name("calls.json").read_text())
# After a handshake there is no other way.
warnings.filterwarnings("ignore", "resources/subscribe is removed")
# The ways on which changes are told.
TELLING = [("stdio", "legacy"), ("stdio", "auto"), ("http", "auto")]


def filled(value, names):
    """The value with what was kept in the place of {names}."""
    text = json.dumps(value)
    for name, kept in names.items():
        text = text.replace("{" + name + "}", kept)
    return json.loads(text)


def is_within(expected, actual):
    """Whether objects have at least the members that are expected, and all else is the same."""
    match expected, actual:
        case dict(), dict():
            return all(name in actual and is_within(value, actual[name]) for name, value in expected.items())
        case list(), list():
            return len(expected) == len(actual) and all(map(is_within, expected, actual))
        case _:
            return expected == actual


async def answer(client, row):
    """The result of a row as it came over the wire."""
    match row["method"]:
        case "tools/call":
            result = await client.call_tool(row["name"], row["arguments"])
        case "prompts/list":
            result = await client.list_prompts()
        case "prompts/get":
            result = await client.get_prompt(row["name"], row["arguments"])
        case "resources/list":
            result = await client.list_resources()
        case "resources/templates/list":
            result = await client.list_resource_templates()
        case "resources/read":
            result = await client.read_resource(row["uri"])
        case "completion/complete":
            of, argument = row["ref"], row["argument"]
            result = await client.complete(reference(of), argument)
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def reference(of):
    """What an argument is completed for."""
    kind = ResourceTemplateReference if of["type"] == "ref/resource" else PromptReference
    return kind.model_validate(of)


async def work(client, server, run):
    """Does every row, each on what those before have made."""
    listed = {tool.name for tool in (await client.list_tools()).tools}
    tabled = {row["name"] for row in TABLE[server] if row["method"] == "tools/call"}
    assert listed == tabled, listed ^ tabled
    names = {"run": run}
    for row in TABLE[server]:
        row = filled(row, names)
        told = await answer(client, row)
        if row["method"] == "tools/call":
            text = json.loads(told["content"][0]["text"])
            if "refused" in row:
                assert told["isError"] and text["error"] == row["refused"], (row, told)
                continue
            assert not told["isError"] and text == told["structuredContent"], (row, told)
            told = text
        assert is_within(row.get("expect", {}), told), (row, told)
        for member, entry in row.get("contains", {}).items():
            assert any(is_within(entry, one) for one in told[member]), (row, told)
        names |= {name: told[member] for name, member in row.get("keep", {}).items()}


async def hear(client, mode, notices, name):
    """Is told that a prompt has changed, and with it the list of prompts."""
    uri = f"interline://prompt/{name}"
    await client.call_tool("create_prompt", {"name": name, "description": "Says hello", "content": "Hello"})
    change = "update_prompt_metadata", {"name": name, "title": "Another"}
    with anyio.fail_after(30):
        if mode == "auto":
            async with client.listen(prompts_list_changed=True, resource_subscriptions=[uri]) as stream:
                await client.call_tool(*change)
                told = {await anext(stream), await anext(stream)}
            assert told == {PromptsListChanged(), ResourceUpdated(uri)}, told
        else:
            created = await notices.receive()
            assert created.method == "notifications/prompts/list_changed", created
            await client.subscribe_resource(uri)
            await client.call_tool(*change)
            told = [await notices.receive(), await notices.receive()]
            assert told[0].method == "notifications/prompts/list_changed", told
            assert told[1].method == "notifications/resources/updated" and str(told[1].params.uri) == uri, told


async def main(interline, data_dir, address):
    for server in TABLE:
        start = ["mcp", server]
        ways = {
            "stdio": StdioServerParameters(command=interline, args=[*start, "--data-dir", data_dir]),
            "bridge": StdioServerParameters(command=interline, args=[*start, "--url", address]),
            "http": f"{address}/mcp/{server}",
        }
        for way, there in ways.items():
            for mode in ["legacy", "auto"]:
                notify, notices = anyio.create_memory_object_stream(100)
                async with Client(there, mode=mode, message_handler=notify.send) as client:
                    if server == "prompts" and (way, mode) in TELLING:
                        await hear(client, mode, notices, f"told-{way}-{mode}")
                    await work(client, server, f"python-{way}-{mode}")
                    version = client.protocol_version
                    print(f"Python, {server}, {way}, {mode}: protocol {version}, {len(TABLE[server])} calls")


anyio.run(main, *sys.argv[1:])
