"""What the database knows of itself, for operators: memories by state, and what runs have done.

It is the same for every replica and outlives all of them, so counters made of it never fall.
"""

import asyncio
import json
import logging
import time
from collections.abc import Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock
from typing import Annotated

from pydantic import BeforeValidator

from graph_memory import metrics
from graph_memory.context import Context
from graph_memory.errors import GraphMemoryError
from graph_memory.memories import Instant, instant

#: Within how many days changes of state are counted ahead.
AHEAD_DAYS = (0, 1, 7, 30, 90, 365)

_WAIT_SECONDS = 0.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InState:
    """Memories of a state."""

    state: str
    memories: int
    scores: float  #: sum of their decay scores, as stored by the latest runs


@dataclass(frozen=True, slots=True)
class Total:
    """Something summed over all runs, as `transitioned:ACTIVE>DORMANT`."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class LastRun:
    """The latest run that has ended."""

    started_at: Instant
    duration_seconds: float
    truncated: bool
    transitioned: Annotated[dict[str, int], BeforeValidator(lambda v: json.loads(v))]
    status: str

    @property
    def expired(self) -> int:
        """Memories that it let expire."""
        return sum(n for arrow, n in self.transitioned.items() if arrow.endswith(">EXPIRED"))


@dataclass(frozen=True, slots=True)
class Census:
    """The state of the database at an instant."""

    states: list[InState] = field(default_factory=list[InState])
    due: list[int] = field(default_factory=list[int])  #: for each of `AHEAD_DAYS`
    totals: list[Total] = field(default_factory=list[Total])
    last: LastRun | None = None
    running_since: Instant | None = None
    paused: bool = False
    backed_up_at: Instant | None = None

    @property
    def decay_score_avg(self) -> float | None:
        """Mean decay score, 0 fresh to 1 gone; None without memories."""
        memories = sum(row.memories for row in self.states)
        return sum(row.scores for row in self.states) / memories if memories else None


async def take(context: Context) -> Census | None:
    """Count and read it all, in one statement."""
    now = context.clock()
    soon = [instant(now + timedelta(days=days)) for days in AHEAD_DAYS]
    return await context.graph.one("census/take", Census, now=instant(now), soon=soon)


@contextmanager
def published(context: Context) -> Generator[None]:
    """Publish the census among the metrics while this lasts; called in the database's loop."""
    watch = Watch(context, asyncio.get_running_loop())
    with metrics.publishing(metrics.CensusCollector(watch.read, AHEAD_DAYS)):
        yield


class Watch:
    """Keeps a census at hand for scrapes, which come in threads of their own.

    One that is old is taken anew, in the loop of the database, while the scrape waits a moment; if
    that is not enough, as with millions of memories, it gets the old one, and the next the new.
    """

    def __init__(self, context: Context, loop: asyncio.AbstractEventLoop) -> None:
        self._context = context
        self._loop = loop
        self._latest: Census | None = None
        self._taken_at = -float("inf")
        self._taking: Future[None] | None = None
        self._lock = Lock()

    def read(self) -> Census | None:
        """Return the latest census; None before the first."""
        with self._lock:
            old = time.monotonic() - self._taken_at > self._context.settings.metrics_cache_seconds
            if old and (self._taking is None or self._taking.done()):
                self._taking = asyncio.run_coroutine_threadsafe(self._take(), self._loop)
            taking = self._taking
        if taking is not None:
            wait([taking], _WAIT_SECONDS)
        return self._latest

    async def _take(self) -> None:
        try:
            self._latest = await take(self._context)
            self._taken_at = time.monotonic()
        except GraphMemoryError as error:
            _log.warning("The memories could not be counted for the metrics: %s", error)
        except Exception:  # a scrape shows nothing of it, so the log has to
            _log.exception("The memories could not be counted for the metrics.")
