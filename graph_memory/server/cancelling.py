"""Cancellation over HTTP by clients of the protocol versions with a handshake.

Such a client sends `notifications/cancelled` with the id of a request, in a request of its own.
Clients number their requests alike, and the server keeps no sessions, so the id alone does not name
one request. Therefore the answer to `initialize` gives each client the id of a connection, which
the client repeats in the header `Mcp-Session-Id`. Any replica takes it; a replica cancels the
requests that run on it. A client of a later version closes the response instead.
"""

import re
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import anyio
import pydantic_core
from mcp import MCPError
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, REQUEST_CANCELLED
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as ASGIScope

_CONNECTION = re.compile("connection-[0-9a-f]{32}")

#: Bytes of a body in which `initialize` is looked for.
_MOST_BYTES = 65_536


class _Key(NamedTuple):
    """The identity of a running request."""

    caller: str
    connection: str
    request_id: str  #: as text, because some clients send a number back as one


class Cancellation:
    """Middleware of the SDK that stops a running request when its client cancels it."""

    def __init__(self) -> None:
        self._running: dict[_Key, anyio.CancelScope] = {}

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handle one message.

        Raises:
            MCPError: The client cancelled the request.
        """
        connection = _connection(ctx)
        if connection is None:
            return await call_next(ctx)
        if ctx.method == "notifications/cancelled":
            self._cancel(connection, ctx.params or {})
        if ctx.request_id is None:
            return await call_next(ctx)
        with self._registered(connection, str(ctx.request_id)) as scope:
            return await call_next(ctx)
        if scope.cancelled_caught:
            raise MCPError(REQUEST_CANCELLED, "Request cancelled")
        return None

    @contextmanager
    def _registered(self, connection: str, request_id: str) -> Generator[anyio.CancelScope]:
        """Return a scope that a cancellation of the request cancels."""
        key = _Key(_caller(), connection, request_id)
        with anyio.CancelScope() as scope:
            self._running[key] = scope
            try:
                yield scope
            finally:
                if self._running.get(key) is scope:  # a later request may have taken the id
                    del self._running[key]

    def _cancel(self, connection: str, params: Mapping[str, Any]) -> None:
        """Cancel a request, if it runs here."""
        key = _Key(_caller(), connection, str(params.get("requestId")))
        if scope := self._running.get(key):
            scope.cancel()


class Connections:
    """ASGI middleware that answers `initialize` at a path with the id of a connection."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        named = scope["type"] != "http" or MCP_SESSION_ID_HEADER in Headers(scope=scope)
        if named or scope["path"] != self._path or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        read = await _beginning(receive)

        async def again() -> Message:
            return read.pop(0) if read else await receive()

        async def naming(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = MutableHeaders(scope=message)
                headers[MCP_SESSION_ID_HEADER] = f"connection-{uuid.uuid4().hex}"
            await send(message)

        await self._app(scope, again, naming if _initializes(read) else send)


def is_connection(session_id: str | None) -> bool:
    """Return True for the id of a connection, which is not the id of a conversation."""
    return bool(session_id and _CONNECTION.fullmatch(session_id))


def _caller() -> str:
    """Return the name of the caller; empty without a token."""
    token = get_access_token()
    return token.client_id if token else ""


def _connection(context: ServerRequestContext[Any, Any]) -> str | None:
    """Return the id of the connection of a message; None without one."""
    headers: Mapping[str, str] = getattr(context.request, "headers", {})
    given = headers.get(MCP_SESSION_ID_HEADER)
    return given if is_connection(given) else None


async def _beginning(receive: Receive) -> list[Message]:
    """Return the messages of a request up to the end of its body, or past 64 KiB."""
    read: list[Message] = []
    size, more = 0, True
    while more and size <= _MOST_BYTES:
        message = await receive()
        read.append(message)
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    return read


def _initializes(read: list[Message]) -> bool:
    """Return True if a body asks for a handshake."""
    body = b"".join(message.get("body", b"") for message in read)
    if len(body) > _MOST_BYTES or b"initialize" not in body:
        return False
    try:
        message: object = pydantic_core.from_json(body)
    except ValueError:
        return False
    fields = cast(dict[str, object], message) if isinstance(message, dict) else {}
    return fields.get("method") == "initialize"
