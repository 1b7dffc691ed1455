"""A program that uses the client of FastMCP. The address is its argument."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.exceptions import ToolError


async def main(url: str) -> None:
    async with Client(url) as client:
        print(*sorted(tool.name for tool in await client.list_tools()))
        await client.call_tool("add_memory", {"content": "Grace drinks coffee"})
        print("added")
        found = await client.call_tool("search_memory", {"query": "What does Ada drink?"})
        print(found.content[0].text)
        try:
            await client.call_tool("search_memory", {"query": "tea", "limit": 0})
        except ToolError as error:
            print(True, error)
        print((await client.list_prompts())[0].name)
        print((await client.list_resources())[0].uri)


asyncio.run(main(sys.argv[1]))
