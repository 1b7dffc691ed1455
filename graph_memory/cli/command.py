"""The shared parts of commands: `--group`, `--json`, the event loop, and connections.

Commands import heavy modules inside functions, so that `--help` and completion stay fast.
"""

import asyncio
import inspect
import logging
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from graph_memory.api.database import Database
    from graph_memory.api.service import GraphMemory
    from graph_memory.settings.base import Settings

Group = Annotated[
    str | None, typer.Option("--group", help="Tenant id; default: the setting group_id.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


_SHARED = (
    inspect.Parameter("group", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Group),
    inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json),
)


@dataclass(frozen=True, slots=True)
class Request:
    """The options of a call that every command has."""

    group: str | None = None
    as_json: bool = False


_request: ContextVar[Request] = ContextVar("request")


def request() -> Request:
    """Return the shared options of the current command."""
    return _request.get()


def begin(group: str | None, as_json: bool) -> None:
    """Store the shared options given before the command."""
    _request.set(Request(group, as_json))


def _amend(group: str | None, as_json: bool) -> None:
    """Store the shared options given after the command, which take precedence."""
    before = _request.get()
    _request.set(Request(before.group if group is None else group, as_json or before.as_json))


def command(app: typer.Typer, name: str | None = None) -> Callable[..., Callable[..., Any]]:
    """Register a function, plain or async, as a command with `--group` and `--json`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*, group: str | None, as_json: bool, **arguments: Any) -> None:
            _amend(group, as_json)
            try:
                work = function(**arguments)
                if inspect.iscoroutine(work):
                    with asyncio.Runner(loop_factory=_event_loop()) as runner:
                        runner.run(_terminable(work))
            except KeyboardInterrupt:  # Typer would exit without a message
                raise typer.Abort from None

        # Typer reads the options from the signature.
        own = inspect.signature(function)
        signature = own.replace(parameters=[*own.parameters.values(), *_SHARED])
        run.__annotations__ = {
            **function.__annotations__,
            **{option.name: option.annotation for option in _SHARED},
        }
        run.__dict__["__signature__"] = signature
        return app.command(name)(run)

    return register


async def _terminable(work: Coroutine[Any, Any, None]) -> None:
    """Run `work`. SIGTERM ends it as Ctrl-C does, so that it releases its resources."""
    task, ended = asyncio.current_task(), asyncio.Event()

    def end() -> None:
        ended.set()
        if task is not None:
            task.cancel()

    with suppress(NotImplementedError):  # on Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
    try:
        await work
    except asyncio.CancelledError:
        if ended.is_set():
            raise KeyboardInterrupt from None
        raise


def _event_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the factory of uvloop's event loop, or None without uvloop."""
    try:
        import uvloop
    except ImportError:  # on Windows
        return None
    return uvloop.new_event_loop


def configured(**overrides: Any) -> "Settings":
    """Read the settings, with the group of the current command."""
    from graph_memory.domain.inputs import GroupId, validate_value
    from graph_memory.settings.base import read_settings

    if request().group is not None:
        overrides["group_id"] = validate_value(GroupId, request().group, "--group")
    return read_settings(**overrides)


@asynccontextmanager
async def opened() -> AsyncGenerator["GraphMemory"]:
    """Open a `GraphMemory` whose default group is that of the current command."""
    from graph_memory.api.service import GraphMemory

    settings = configured()
    _announce_start(settings)
    _leave_to_errors()
    async with GraphMemory.open(settings) as memory:
        yield memory


@asynccontextmanager
async def opened_database() -> AsyncGenerator["Database"]:
    """Open the database alone, without a change of its schema."""
    from graph_memory.api.database import Database

    settings = configured()
    _announce_start(settings)
    _leave_to_errors()
    async with Database.open(settings) as database:
        yield database


def _announce_start(settings: "Settings") -> None:
    """Print a note when a command has to start the local Neo4j."""
    from graph_memory import local_neo4j

    if settings.neo4j_uri is None and local_neo4j.running(settings) is None:
        note("Starting Neo4j for this command. Keep it running with `graph-memory db start`.")


def _leave_to_errors() -> None:
    """Suppress log messages that repeat the error of the command, unless --verbose."""
    if not logging.getLogger("graph_memory").isEnabledFor(logging.DEBUG):
        for name in ("graph_memory.database.graph", "graph_memory.context"):
            logging.getLogger(name).setLevel(logging.ERROR)


def unchecked(value: object) -> Any:
    """Return the value of an option without its type; the API checks it and names the choices."""
    return value


def note(text: str) -> None:
    """Print a note on stderr, beside the result on stdout."""
    print(text, file=sys.stderr)
