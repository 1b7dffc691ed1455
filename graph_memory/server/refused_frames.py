"""Plain refusals of request bodies that are not JSON-RPC messages.

The SDK answers them with the report of its validator: class names, versions and links that help no
client.
"""

import json
from typing import Any

from mcp.types import INVALID_REQUEST
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as ASGIScope

_REPORT = b'"message":"Validation error: '  #: of the SDK's answer
_PLAIN = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": INVALID_REQUEST,
            "message": (
                "The body is not a JSON-RPC 2.0 message. Send one object with jsonrpc '2.0', "
                "a method, an id for a request, and params as an object."
            ),
        },
    }
).encode()


class PlainRefusals:
    """ASGI middleware that replaces the validator's report by a sentence; status 400 stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started: Message | None = None

        async def plain(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and message["status"] == 400:
                started = message
            elif started is None:
                await send(message)
            else:
                if _REPORT in message.get("body", b""):
                    started, message = _with_length(started), {**message, "body": _PLAIN}
                await send(started)
                await send(message)
                started = None

        await self._app(scope, receive, plain)


def _with_length(start: Message) -> Message:
    """Return the start of a response with the length of our body."""
    headers: list[Any] = [pair for pair in start["headers"] if pair[0] != b"content-length"]
    return {**start, "headers": [*headers, (b"content-length", str(len(_PLAIN)).encode())]}
