"""A program that gives the tools to smolagents. The address is its argument."""

import sys

from smolagents import ToolCollection

server = {"url": sys.argv[1], "transport": "streamable-http"}
with ToolCollection.from_mcp(server, trust_remote_code=True, structured_output=True) as given:
    tools = {tool.name: tool for tool in given.tools}
    print(*sorted(tools))
    tools["add_memory"](content="Grace drinks coffee")
    print("added")
    print(tools["search_memory"](query="What does Ada drink?"))
