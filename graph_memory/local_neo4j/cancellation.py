"""Cancellation of a start: a thread that starts Neo4j asks often whether it shall go on."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

from graph_memory.errors import LocalNeo4jError

_requested: ContextVar[Event | None] = ContextVar("requested", default=None)


class StartCancelledError(LocalNeo4jError):
    """The start was cancelled by its caller."""


@contextmanager
def cancelled_by(event: Event | None) -> Generator[None]:
    """Let `event` cancel the work of the block at its next `check`."""
    token = _requested.set(event)
    try:
        yield
    finally:
        _requested.reset(token)


def check() -> None:
    """Check whether the work may go on.

    Raises:
        StartCancelledError: The event of the surrounding block is set.
    """
    event = _requested.get()
    if event and event.is_set():
        raise StartCancelledError("The start of Neo4j was cancelled.")
