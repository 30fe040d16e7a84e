"""What tests/mcp-clients runs: every tool of the content server, called by the official client."""

import json
import sys

import anyio
from mcp import StdioServerParameters
from mcp.client import Client

TOOLS = {
    "search_items", "get_item", "search_in_content", "edit_content", "patch_note", "rewrite_content",
    "update_item_metadata", "create_bookmark", "create_note", "list_tags", "item_history", "restore_item",
}  # fmt: skip


async def work(client, name):
    """Calls every tool, each on what the one before has made."""
    called = set()

    async def call(tool, **arguments):
        called.add(tool)
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, (tool, answer)
        assert json.loads(answer.content[0].text) == answer.structured_content, (tool, answer)
        return answer.structured_content

    listed = {tool.name for tool in (await client.list_tools()).tools}
    assert listed == TOOLS, listed ^ TOOLS
    note = (await call("create_note", title=name, content="one\ntwo\n", tags=["a"]))["id"]
    assert (await call("edit_content", id=note, old_str="two", new_str="three"))["version"] == 2
    patch = {"start_line": 1, "end_line": 1, "content": "zero", "expect": "one"}
    assert (await call("patch_note", note_id=note, operations=[patch]))["version"] == 3
    await call("rewrite_content", id=note, content="four\n", expected_version=3)
    await call("update_item_metadata", id=note, add_tags=["b"])
    found = await call("search_in_content", id=note, query="four")
    assert found["total_matches"] == 1, found
    await call("item_history", id=note)
    await call("item_history", id=note, version=2)
    await call("restore_item", id=note, version=3)
    assert (await call("get_item", id=note))["content"] == "zero\nthree\n"
    await call("create_bookmark", url=f"https://example.org/{name}")
    assert (await call("search_items", query=name))["total"] == 2
    assert (await call("list_tags"))["tags"]
    assert called == TOOLS, TOOLS - called

    refused = await client.call_tool("get_item", {"id": note, "lines": 3})
    assert refused.is_error and json.loads(refused.content[0].text)["error"] == "validation_failed", refused


async def main(interline, data_dir, address):
    program = StdioServerParameters(command=interline, args=["mcp", "content", "--data-dir", data_dir])
    ways = {"stdio": program, "http": f"{address}/mcp/content"}
    for way, server in ways.items():
        for mode in ["legacy", "auto"]:
            async with Client(server, mode=mode) as client:
                await work(client, f"{way}-{mode}")
                print(f"{way}, {mode}: protocol {client.protocol_version}, {len(TOOLS)} tools called")


anyio.run(main, *sys.argv[1:])
