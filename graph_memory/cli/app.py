"""The command `graph-memory`: all commands together, and the report of errors.

Exit codes: 0 done, 1 failed, 2 wrong usage or argument, 3 paused, 4 stopped at the time limit, 5
another run holds the lock, 130 interrupted. An error is one sentence on stderr; with `--json` it is
also the object on stdout, `{"error": {"code": ..., "message": ...}}`.
"""

import errno
import logging
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from graph_memory.cli import (
    backups,
    clusters,
    conversations,
    database,
    entities,
    episodes,
    erasure,
    evaluation,
    groups,
    lifecycle,
    maintenance,
    memories,
    operations,
    relations,
    reports,
    review,
    tokens,
    tombstones,
    transfer,
)
from graph_memory.cli.command import Group, Json, begin
from graph_memory.cli.output import print_json
from graph_memory.cli.streams import drop_stdout, open_closed_streams
from graph_memory.errors import (
    ConfirmationRequiredError,
    GraphMemoryError,
    InvalidArgumentError,
    LeaseLostError,
    RunLockedError,
    RunsPausedError,
    SettingsError,
)
from graph_memory.wording import Surface, Words, speaking

_FAILED = 1
_USAGE = 2
_INTERRUPTED = 130
_NOT_NOW: dict[type[GraphMemoryError], int] = {
    RunsPausedError: 3,
    RunLockedError: 5,
    LeaseLostError: 5,
}

_log = logging.getLogger(__name__)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for part in (
    memories,
    erasure,
    conversations,
    relations,
    entities,
    clusters,
    lifecycle,
    maintenance,
    transfer,
    backups,
    operations,
    evaluation,
    reports,
):
    app.registered_commands += part.app.registered_commands
app.registered_commands += tombstones.rejecting.registered_commands
app.add_typer(operations.migrate, name="migrate")
app.add_typer(operations.embeddings, name="embeddings")
app.add_typer(database.app, name="db")
app.add_typer(tokens.app, name="token")
app.add_typer(review.app, name="review")
app.add_typer(groups.app, name="groups")
app.add_typer(episodes.app, name="episodes")
app.add_typer(tombstones.app, name="tombstones")


def _print_version(wanted: bool) -> None:
    if wanted:
        from graph_memory import __version__

        print(f"graph-memory {__version__}")
        raise typer.Exit


@app.callback()
def graph_memory(
    group: Group = None,
    as_json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log debug messages to stderr.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and exit."
        ),
    ] = False,
) -> None:
    """Store, search and maintain the memories of AI agents in a Neo4j graph.

    Without GRAPH_MEMORY_NEO4J_URI, commands use a local Neo4j, and start it if necessary.

    Exit codes: 0 done, 1 failed, 2 wrong usage or argument, 3 paused, 4 stopped at the time limit,
    5 another run holds the lock, 130 interrupted.
    """
    begin(group, as_json)
    if verbose:
        logging.getLogger("graph_memory").setLevel(logging.DEBUG)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. Report errors as sentences, without tracebacks."""
    open_closed_streams()
    logging.basicConfig(format="%(message)s", level=logging.WARNING, stream=sys.stderr)
    given = sys.argv[1:] if arguments is None else list(arguments)
    with speaking(Words(Surface.CLI, "graph-memory")):
        code = _run(given)
    if arguments is None and code == _INTERRUPTED:
        sys.stderr.flush()
        os._exit(code)  # without waiting for a thread that loads a model
    return code


def _run(given: Sequence[str]) -> int:
    try:
        code = _called(given)
        sys.stdout.flush()  # a failure to write must fail the command
        return code
    except BrokenPipeError:  # `graph-memory list | head` has what it wanted
        drop_stdout()
        return 0
    except typer.TyperException as error:
        return _fail("usage", error.format_message(), _USAGE, given)
    except GraphMemoryError as error:
        return _fail(error.code, str(error), _status(error), given)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", "Interrupted.", _INTERRUPTED, given)
    except OSError as error:
        return _fail("failed", describe_os_error(error), _FAILED, given)
    except Exception as error:  # a defect; --verbose shows the traceback
        _log.debug("", exc_info=True)
        return _fail("internal", f"{type(error).__name__}: {error}.", _FAILED, given)


def _called(given: Sequence[str]) -> int:
    """Call the command, with the error of a closed pipe as it is; Typer exits on it."""
    try:
        return app(given, prog_name="graph-memory", standalone_mode=False) or 0
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise


def _status(error: GraphMemoryError) -> int:
    """Return the exit code for an error."""
    if isinstance(error, InvalidArgumentError | ConfirmationRequiredError | SettingsError):
        return _USAGE
    return _NOT_NOW.get(type(error), _FAILED)


#: What to do about an error of the system with a file.
_REMEDIES = {
    errno.ENOSPC: "Free some space on that disk.",
    errno.EROFS: "Make it writable, or set GRAPH_MEMORY_DATA_DIR to a folder on another disk.",
}


def describe_os_error(error: OSError) -> str:
    """Return a sentence for an error of the system. An error without a file concerns stdout."""
    where = error.filename
    if where is None and error.errno in (errno.EPIPE, errno.ENOSPC):
        where = "stdout"
        drop_stdout()
    reason = error.strerror or str(error)
    sentence = f"{where}: {reason}." if where else f"{reason}."
    remedy = _REMEDIES.get(error.errno or 0) if where and where != "stdout" else None
    return f"{sentence} {remedy}" if remedy else sentence


def _fail(code: str, message: str, status: int, arguments: Sequence[str]) -> int:
    """Report an error and return the exit code. An empty message follows a printed help."""
    sentence = " ".join(message.split())
    if sentence:
        print(f"error: {sentence}", file=sys.stderr)
    if sentence and "--json" in arguments:
        _print_error(code, sentence)
    return status


def _print_error(code: str, sentence: str) -> None:
    """Print an error as JSON, unless stdout is closed; stderr has it already."""
    try:
        print_json({"error": {"code": code, "message": sentence}})
        sys.stdout.flush()
    except OSError:
        drop_stdout()
