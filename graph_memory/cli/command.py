"""The shared parts of commands: `--group`, `--json`, the event loop, and connections.

Commands import heavy modules inside functions, so that `--help` and completion stay fast.
"""

import asyncio
import gc
import inspect
import logging
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli import waiting
from graph_memory.cli.completion import complete_group
from graph_memory.cli.errors import in_options, words_of
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.wording import use

if TYPE_CHECKING:
    from graph_memory.api.database import Database
    from graph_memory.api.service import GraphMemory
    from graph_memory.settings.base import Settings

Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        help="Tenant id; default: the setting group_id, or all groups in a command on all.",
        autocompletion=complete_group,
    ),
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


def command(
    app: typer.Typer, name: str | None = None, *, example: str
) -> Callable[..., Callable[..., Any]]:
    """Register a function, plain or async, as a command with `--group` and `--json`.

    Args:
        app: The commands to add it to.
        name: Its name; that of the function if not given.
        example: A call of it, for the help, without `graph-memory`.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*, group: str | None, as_json: bool, **arguments: Any) -> None:
            _amend(group, as_json)
            words = words_of(name or function.__name__, function)
            use(words)
            try:
                work = function(**arguments)
                if inspect.iscoroutine(work):
                    _run(work)
            except InvalidArgumentError as error:
                raise in_options(error, words) from None
            except KeyboardInterrupt:  # Typer would exit without a message
                raise typer.Abort from None
            finally:
                waiting.end()

        # Typer reads the options from the signature.
        own = inspect.signature(function)
        signature = own.replace(parameters=[*own.parameters.values(), *_SHARED])
        run.__annotations__ = {
            **function.__annotations__,
            **{option.name: option.annotation for option in _SHARED},
        }
        run.__dict__["__signature__"] = signature
        return app.command(name, epilog=f"Example: graph-memory {example}")(run)

    return register


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run a command in an event loop. After an interruption, wait for no thread of it."""
    runner = asyncio.Runner(loop_factory=_event_loop())
    try:
        runner.run(_terminable(work))
    except KeyboardInterrupt:
        raise  # a thread that loads a model ends with the process
    except BaseException:
        runner.close()
        raise
    runner.close()


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
    """Read the settings, with the group of the current command; options are `overrides`."""
    from graph_memory.settings.base import read_settings

    if request().group is not None:
        from graph_memory.domain.inputs import GroupId, validate_value

        overrides["group_id"] = validate_value(GroupId, request().group, "--group")
    try:
        return read_settings(**overrides)
    except SettingsError as error:
        sentence = str(error)
        for name in overrides:
            option = f"--{name.replace('_', '-')}"
            sentence = sentence.replace(f"GRAPH_MEMORY_{name.upper()}=", f"{option}=")
        raise SettingsError(sentence) from error


@asynccontextmanager
async def opened(doing: str = "Working…", *, model: bool = False) -> AsyncGenerator["GraphMemory"]:
    """Open a `GraphMemory` whose default group is that of the current command.

    Args:
        doing: What the command waits for, once the database is open.
        model: Load the embedding model at the same time as the database is opened.
    """
    stage = "Loading…"
    embedder: Any = None

    def reason() -> str:
        return "Loading the model…" if model and embedder and not embedder.loaded else stage

    waiting.begin(reason)
    gc.disable()  # it takes a tenth of the time of these imports, which make no garbage
    try:
        from graph_memory.api.service import GraphMemory
    finally:
        gc.enable()

    settings = configured()
    # The start of the local Neo4j shows its own progress.
    stage = "Connecting to Neo4j…" if _is_running(settings) else ""
    _leave_to_errors()
    async with GraphMemory.open(settings, preload=model) as memory:
        stage, embedder = doing, memory.context.embedder
        yield memory


@asynccontextmanager
async def opened_database() -> AsyncGenerator["Database"]:
    """Open the database alone, without a change of its schema."""
    from graph_memory.api.database import Database

    settings = configured()
    _is_running(settings)
    _leave_to_errors()
    async with Database.open(settings) as database:
        yield database


def _is_running(settings: "Settings") -> bool:
    """Check for a running database. Print a note if the local Neo4j has to start."""
    from graph_memory import local_neo4j

    if settings.neo4j_uri is not None or local_neo4j.running(settings):
        return True
    note("Starting Neo4j for this command. Keep it running with `graph-memory db start`.")
    return False


def _leave_to_errors() -> None:
    """Suppress log messages that repeat the error of the command, unless --verbose."""
    if not logging.getLogger("graph_memory").isEnabledFor(logging.DEBUG):
        for name in ("graph_memory.database.graph", "graph_memory.context"):
            logging.getLogger(name).setLevel(logging.ERROR)


async def whole_ids(memory: "GraphMemory", given: Sequence[str]) -> list[str]:
    """Return the ids of memories that the arguments of a command are, or begin.

    Raises:
        InvalidArgumentError: Several ids begin with an argument.
    """
    return [await memory.complete_id(each) for each in given]


def unchecked(value: object) -> Any:
    """Return the value of an option without its type; the API checks it and names the choices."""
    return value


def note(text: str) -> None:
    """Print a note on stderr, beside the result on stdout."""
    waiting.end()
    print(text, file=sys.stderr)
