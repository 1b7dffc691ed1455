"""The server over HTTP: start, warm-up and shutdown."""

import asyncio
import errno
import gc
import logging
import socket
import sys
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager

import uvicorn

from graph_memory import metrics
from graph_memory.api.service import GraphMemory
from graph_memory.errors import SettingsError
from graph_memory.server.app import http_app
from graph_memory.server.opening import Opening
from graph_memory.server.running import (
    log_to_stderr,
    until_cancelled,
    until_one_ends,
    until_signalled,
)
from graph_memory.settings.base import Settings
from graph_memory.settings.hosts import is_loopback
from graph_memory.tracing import export_spans

_FAREWELL_SECONDS = 3

#: The switch interval of threads in seconds, a tenth of the default. The thread of the model runs
#: steps of 0.1 ms, and would wait for the event loop after each of them.
SWITCH_SECONDS = 0.0005

#: The threshold of garbage collection in new objects. An answer creates a few thousand objects
#: without cycles, so that the default of 700 wastes time.
_YOUNG_OBJECTS = 50_000

_log = logging.getLogger(__name__)


async def serve_http(settings: Settings, *, insecure_no_auth: bool = False) -> None:
    """Serve MCP over streamable HTTP until SIGINT or SIGTERM.

    Args:
        settings: Address to listen on, database, and toolsets.
        insecure_no_auth: Require no token on any host; every caller may read and write.

    Raises:
        SettingsError: The port is in use, tokens are required and none exists, or a variable of
            OpenTelemetry is not supported.
        GraphMemoryError: The database does not open.
    """
    log_to_stderr()
    export_spans()
    sys.setswitchinterval(SWITCH_SECONDS)
    # Bind the port first, so that a used port fails before the database starts.
    with closing(_claimed(settings)) as listener:
        open_to_others = settings.require_tokens or not is_loopback(settings.host)
        asking = open_to_others and not insecure_no_auth
        await until_signalled(_serve(settings, listener, require_tokens=asking))


async def _serve(settings: Settings, listener: socket.socket, *, require_tokens: bool) -> None:
    """Listen at once, and open the service. End if it cannot be opened."""
    opening = Opening(settings, _refuse_without_tokens if require_tokens else None)
    server = _Server(
        uvicorn.Config(
            http_app(opening, require_tokens=require_tokens),
            http="h11",  # httptools keeps spaces around a header's value, against RFC 9110
            log_config=None,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=_FAREWELL_SECONDS,
        )
    )
    with _metrics(settings):
        await until_one_ends(
            until_cancelled(server.serve(sockets=[listener]), server.stop),
            _tuned(opening, listener),
            opening.run(retry=False),
        )


async def _tuned(opening: Opening, listener: socket.socket) -> None:
    """Log the address once the service is ready, and tune the process for serving."""
    await opening.warmed.wait()
    with _frozen():
        host, port = listener.getsockname()[:2]
        host = f"[{host}]" if ":" in host else host
        _log.info("Serving MCP at http://%s:%d/mcp", host, port)
        await asyncio.Event().wait()


class _Server(uvicorn.Server):
    """A web server that leaves signals alone.

    uvicorn's own handlers raise the signal again when it has stopped; SIGTERM would then end the
    process before the database is closed.
    """

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    def stop(self) -> None:
        self.should_exit = True


@contextmanager
def _frozen() -> Generator[None]:
    """Exclude all loaded objects from garbage collection, which would take half a second.

    At the end libraries in native code want it freed, and complain if it is not.
    """
    gc.collect()
    gc.freeze()
    often = gc.get_threshold()
    gc.set_threshold(_YOUNG_OBJECTS, *often[1:])
    try:
        yield
    finally:
        gc.set_threshold(*often)
        gc.unfreeze()


@contextmanager
def _metrics(settings: Settings) -> Generator[None]:
    """Publish the metrics, if configured. Log a failure, and continue without them."""
    host, port = settings.metrics_host, settings.metrics_port
    with ExitStack() as stack:
        if settings.metrics_enabled:
            try:
                served_port = stack.enter_context(metrics.exported(host, port))
                _log.info("Metrics at http://%s:%d/metrics", host, served_port)
            except OSError as error:
                _log.warning(
                    "No metrics at %s:%d (%s); set GRAPH_MEMORY_METRICS_PORT to a free port.",
                    host,
                    port,
                    error.strerror,
                )
        yield


def _claimed(settings: Settings) -> socket.socket:
    """Return a socket bound to the configured address. It listens after the start."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio disables Nagle's delay of 40 ms an answer only for an explicit TCP protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise SettingsError(
                f"Port {port} of {host} is taken. Set GRAPH_MEMORY_PORT to a free port, or stop "
                "what uses it."
            ) from error
        raise SettingsError(
            f"{host}:{port} cannot be listened on ({error.strerror}). Correct GRAPH_MEMORY_HOST "
            "or GRAPH_MEMORY_PORT."
        ) from error
    return listener


async def _refuse_without_tokens(memory: GraphMemory) -> None:
    """Raise `SettingsError` if tokens are required and none exists."""
    if memory.settings.jwt_jwks_url:
        return
    if not await memory.tokens.any_valid():
        raise SettingsError(
            f"GRAPH_MEMORY_HOST={memory.settings.host} is served to callers with tokens, and there "
            "is none. Make one with `graph-memory token create`, set the host to 127.0.0.1, or "
            "serve with --insecure-no-auth, which lets anyone who reaches this machine read and "
            "change all memories."
        )
