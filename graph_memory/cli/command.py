"""What every command shares: `--group` and `--json`, an event loop, and what to open.

Everything heavy is imported where it is used, so that `--help` and completion stay quick.
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

Group = Annotated[str | None, typer.Option("--group", help="The tenant; by default the setting.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


_SHARED = (
    inspect.Parameter("group", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Group),
    inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json),
)


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asked of every command."""

    group: str | None = None
    as_json: bool = False


_request: ContextVar[Request] = ContextVar("request")


def request() -> Request:
    """Return what was asked with the present command."""
    return _request.get()


def begin(group: str | None, as_json: bool) -> None:
    """Note what was asked before the command."""
    _request.set(Request(group, as_json))


def _amend(group: str | None, as_json: bool) -> None:
    """Note what was asked after the command, which wins."""
    before = _request.get()
    _request.set(Request(before.group if group is None else group, as_json or before.as_json))


def command(app: typer.Typer, name: str | None = None) -> Callable[..., Callable[..., Any]]:
    """Make a function, plain or async, a command that takes `--group` and `--json` as well."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*, group: str | None, as_json: bool, **arguments: Any) -> None:
            _amend(group, as_json)
            try:
                work = function(**arguments)
                if inspect.iscoroutine(work):
                    with asyncio.Runner(loop_factory=_event_loop()) as runner:
                        runner.run(_terminable(work))
            except KeyboardInterrupt:  # of which Typer would make an end without a word
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
    """Do `work`; SIGTERM ends it as Ctrl-C does, so that all it holds is given back."""
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
    """Return what makes uvloop's event loop; None, which means asyncio's own, where it is not."""
    try:
        import uvloop
    except ImportError:  # on Windows
        return None
    return uvloop.new_event_loop


def configured(**overrides: Any) -> "Settings":
    """Read the settings, the group of the present command among them."""
    from graph_memory.domain.inputs import GroupId, validate_value
    from graph_memory.settings.base import read_settings

    if request().group is not None:
        overrides["group_id"] = validate_value(GroupId, request().group, "--group")
    return read_settings(**overrides)


@asynccontextmanager
async def opened() -> AsyncGenerator["GraphMemory"]:
    """Open the memory the settings name; its default group is that of the present command."""
    from graph_memory.api.service import GraphMemory

    settings = configured()
    _announce_start(settings)
    _leave_to_errors()
    async with GraphMemory.open(settings) as memory:
        yield memory


@asynccontextmanager
async def opened_database() -> AsyncGenerator["Database"]:
    """Open only the database, its schema as it is."""
    from graph_memory.api.database import Database

    settings = configured()
    _announce_start(settings)
    _leave_to_errors()
    async with Database.open(settings) as database:
        yield database


def _announce_start(settings: "Settings") -> None:
    """Say why a command takes so long, and how the next ones would not."""
    from graph_memory import local_neo4j

    if settings.neo4j_uri is None and local_neo4j.running(settings) is None:
        note("Starting Neo4j for this command; `graph-memory db start` keeps it running.")


def _leave_to_errors() -> None:
    """Log nothing that the command says itself when it fails of it; --verbose shows it."""
    if not logging.getLogger("graph_memory").isEnabledFor(logging.DEBUG):
        for name in ("graph_memory.database.graph", "graph_memory.context"):
            logging.getLogger(name).setLevel(logging.ERROR)


def unchecked(value: object) -> Any:
    """Return the value of an option without its type; the API checks it and names the choices."""
    return value


def note(text: str) -> None:
    """Tell the person at the terminal something that is no result."""
    print(text, file=sys.stderr)
