"""A program that uses the official SDK of major version 1. The address is its argument."""

import asyncio
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url: str) -> None:
    async with (
        streamablehttp_client(url) as (reads, writes, _),
        ClientSession(reads, writes) as session,
    ):
        await session.initialize()
        print(*sorted(tool.name for tool in (await session.list_tools()).tools))
        added = await session.call_tool("add_memory", {"content": "Grace drinks coffee"})
        print("added" if not added.isError else added.content[0].text)
        found = await session.call_tool("search_memory", {"query": "What does Ada drink?"})
        print(found.content[0].text)
        wrong = await session.call_tool("search_memory", {"query": "tea", "limit": 0})
        print(wrong.isError, wrong.content[0].text)
        print((await session.list_prompts()).prompts[0].name)
        print((await session.list_resources()).resources[0].uri)


asyncio.run(main(sys.argv[1]))
