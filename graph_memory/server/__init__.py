"""The MCP server: the only importer of the SDK."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph_memory.server.app import build_server, http_app
    from graph_memory.server.run import serve_http
    from graph_memory.server.stdio import serve_stdio

__all__ = ["build_server", "http_app", "serve_http", "serve_stdio"]

_MODULES = {"serve_http": "run", "serve_stdio": "stdio"}


def __getattr__(name: str) -> Any:
    """Import a name on its first use: the server over stdio answers before it imports the SDK."""
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'app')}"), name)
