"""The official Python client, at every row of calls.json: over stdio, over HTTP and through the bridge, with a
handshake (legacy) and without one (auto). It checks every answer of a tool against the schema that the tool lists."""

import json
import sys
from pathlib import Path

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.types import PromptReference, ResourceTemplateReference

TABLE = json.loads(Path(__file__).with_name("calls.json").read_text())


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
                async with Client(there, mode=mode) as client:
                    await work(client, server, f"python-{way}-{mode}")
                    version = client.protocol_version
                    print(f"Python, {server}, {way}, {mode}: protocol {version}, {len(TABLE[server])} calls")


anyio.run(main, *sys.argv[1:])
