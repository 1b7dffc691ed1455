"""The living page at /app, and the calls of its script at /app/mcp.

The page calls the tools of agents over MCP, on a server of its own with the few tools that it
needs. So its calls pass what all calls pass: tokens, scopes, limits, checks of arguments, and
audit. A second form of calls would need each check again. Agents need not list these tools.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from mcp.server.apps import APP_MIME_TYPE, Apps
from mcp.server.mcpserver.resources import FunctionResource
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as ASGIScope

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Run, Scope
from graph_memory.server.tool import PAGE_URI, READS, Toolset
from graph_memory.server.views.base import ValueView

PATH = "/app"
CALLS_PATH = "/app/mcp"

#: The tools of agents that the page calls. None of them adds a memory or erases one.
TOOLS = (
    "search_memory",
    "get_memory",
    "memory_traverse",
    "memory_history",
    "get_knowledge_health",
    "memory_forecast",
    "undo_maintenance",
    "list_proposals",
    "decide_proposals",
    "list_pending",
    "decide_pending",
)

toolset = Toolset(Scope.ADMIN)

_REFUSED = "Only the page of this server may call this address. Open it at /app of the same origin."


class RunsView(ValueView):
    """The last maintenance runs, the latest first."""

    runs: list[Run]

    def text(self) -> str:
        """Return a line for each run."""
        return "\n".join(
            f"{run.run_id} {run.started_at:%Y-%m-%d %H:%M} {run.status}" for run in self.runs
        )


@toolset.tool("List runs", READS)
async def list_runs(memory: GraphMemory) -> RunsView:
    """List the last maintenance runs of all groups before a user undoes one."""
    return RunsView.of(await memory.maintenance.status())


def app_extension() -> Apps:
    """Return the extension MCP Apps, by which a client shows the page beside an answer."""
    apps = Apps()
    apps.add_resource(
        FunctionResource.from_function(
            _document,
            uri=PAGE_URI,
            name="page",
            title="The page",
            description="Search, the life of a memory, forecast, runs and review, for people.",
            mime_type=APP_MIME_TYPE,
        )
    )
    return apps


def _document() -> str:
    # A server over stdio starts within a second, and needs no template engine.
    from graph_memory.reporting.html import living_page

    return living_page().document


def add_page(app: Starlette, calls: Starlette) -> None:
    """Add the page to a web application.

    Args:
        app: Web application with the layers that check tokens.
        calls: Web application of the MCP server of the page, at `CALLS_PATH`.
    """
    app.router.routes.append(Route(PATH, _page, methods=["GET"]))
    for route in calls.routes:
        if isinstance(route, Route) and route.path == CALLS_PATH:
            endpoint = _SameOrigin(route.app)
            app.router.routes.append(Route(CALLS_PATH, endpoint, methods=["POST"]))
    outer, inner = app.router.lifespan_context, calls.router.lifespan_context

    @asynccontextmanager
    async def both(running: Starlette) -> AsyncGenerator[Any]:
        async with outer(running) as state, inner(calls):
            yield state

    app.router.lifespan_context = both


async def _page(_: Request) -> HTMLResponse:
    """Answer with the page. It holds no data, so that it needs no token."""
    from graph_memory.reporting.html import living_page

    page = living_page()
    headers = {
        "Content-Security-Policy": f"{page.policy}; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    return HTMLResponse(page.document, headers=headers)


class _SameOrigin:
    """A layer that refuses calls of pages of other origins, those that CORS allows included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        own = origin is None or urlsplit(origin).netloc == headers.get("host")
        if own and site in ("same-origin", "none"):
            await self._app(scope, receive, send)
            return
        refused = JSONResponse({"error": "forbidden", "message": _REFUSED}, status_code=403)
        await refused(scope, receive, send)
