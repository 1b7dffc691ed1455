"""The MCP server: the only importer of the SDK."""

from graph_memory.server.app import build_server, http_app
from graph_memory.server.run import serve_http, serve_stdio

__all__ = ["build_server", "http_app", "serve_http", "serve_stdio"]
