"""The MCP tools, a toolset a module."""
