"""A durable queue of episodes: ordered within a group, each claimed by one process at a time."""

import json
import logging
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from graph_memory.database.graph import HOME, Graph
from graph_memory.domain.origin import SERVICE, Authority, Origin
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import GraphMemoryError
from graph_memory.memories import read

#: Statuses of an episode; the last two are final.
STATUSES = ("queued", "running", "done", "failed")
ENDED = ("done", "failed")

_ERROR_CHARACTERS = 500

_log = logging.getLogger(__name__)


class LostJobError(GraphMemoryError):
    """Another reader has claimed the episode; the results of this reader are not written."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(f"Another reader has claimed the episode of job '{job_id}'.")


async def complete_ids(graph: Graph, given: Mapping[str, str], group_id: str) -> dict[str, str]:
    """Return the ids of the jobs of a group that begin with texts, like `read.complete_ids`.

    Raises:
        AmbiguousIdError: Several ids begin with a text, and none is that text.
    """
    return await read.complete_ids(
        [graph], given, group_id=group_id, statement="graphiti/queue/ids"
    )


@dataclass(frozen=True, slots=True)
class JobStatus:
    """The status of an episode."""

    job_id: str
    group_id: str
    name: str
    status: str  #: one of `STATUSES`
    attempts: int
    error: str | None  #: reason why the last attempt failed
    episode_id: str | None
    entities: int | None
    facts: int | None
    created_at: Instant
    updated_at: Instant

    @property
    def ended(self) -> bool:
        """True if the episode was read, or failed for the last time."""
        return self.status in ENDED


@dataclass(frozen=True, slots=True)
class Job:
    """An episode that this process has claimed."""

    job_id: str
    group_id: str
    attempts: int
    name: str
    content: str
    source: str
    source_description: str
    reference_time: datetime
    entity_types: Annotated[
        Mapping[str, str], BeforeValidator(lambda v: json.loads(v) if isinstance(v, str) else v)
    ]
    saga: str | None
    update_communities: bool
    episode_id: str | None  #: set if the episode is written, and only ratings and vectors are left
    origin: Origin | None  #: None if it was queued before origins were

    @property
    def derived(self) -> Origin:
        """The origin of what Graphiti finds in the episode; its authority is the least."""
        given = self.origin or Origin("episode", SERVICE, None)
        return replace(given.at_most(Authority.DERIVED), origin_id=self.job_id)


_JOB = TypeAdapter(Job)


@dataclass(frozen=True, slots=True)
class DueGroup:
    """A group with queued episodes, and when the next one is due."""

    group_id: str
    due_at: datetime


class Jobs:
    """The queue, and the claims of one process.

    Args:
        graph: The database.
        lease_seconds: Time after which another process may claim an episode.
        attempts: Attempts before an episode fails.
    """

    def __init__(self, graph: Graph, *, lease_seconds: float, attempts: int) -> None:
        self._graph = graph
        self._lease = timedelta(seconds=lease_seconds)
        self._attempts = attempts
        self._owner = secrets.token_hex(8)

    async def enqueue(self, group_id: str, episode: Mapping[str, Any], origin: Origin) -> str:
        """Queue an episode with the origin of its text, and return the id of its job."""
        job_id = str(uuid.uuid4())
        await self._graph.run(
            "graphiti/queue/enqueue",
            group_id=group_id,
            job={"job_id": job_id, **episode},
            now=_now(),
            **origin.parameters(),
        )
        return job_id

    async def find(self, group_id: str, job_id: str) -> JobStatus | None:
        """Fetch the status of an episode, or None."""
        return await self._graph.one(
            "graphiti/queue/find", JobStatus, group_id=group_id, job_id=job_id
        )

    async def latest(
        self, group_id: str, statuses: Sequence[str] | None, limit: int
    ) -> list[JobStatus]:
        """List the latest episodes of a group."""
        wanted = None if statuses is None else list(statuses)
        return await self._graph.rows(
            "graphiti/queue/latest", JobStatus, group_id=group_id, statuses=wanted, limit=limit
        )

    async def due_groups(self, groups: Sequence[str] | None = None) -> list[DueGroup]:
        """List the groups with queued episodes, the first due first.

        Those of a server that does not answer wait, unless it is the configured database.
        """
        given = {"groups": None if groups is None else list(groups), "now": _now()}
        found: list[DueGroup] = []
        for graph in self._graph.servers:
            try:
                found += await graph.rows("graphiti/queue/waiting", DueGroup, **given)
            except GraphMemoryError as error:
                if graph.name == HOME:
                    raise
                _log.warning("Episodes of server '%s' wait: %s", graph.name, error)
        return sorted(found, key=lambda each: each.due_at)

    async def claim(self, group_id: str) -> Job | None:
        """Claim a group's next episode if it is due; return None if none is.

        A malformed episode fails. An episode whose lease expired on its last attempt fails as well.
        """
        while taken := await self._graph.one(
            "graphiti/queue/claim",
            dict[str, Any],
            group_id=group_id,
            owner=self._owner,
            lease_until=_now(self._lease),
            attempts=self._attempts,
            now=_now(),
        ):
            try:
                return _JOB.validate_python(taken)
            except ValidationError as error:
                fields = ", ".join(sorted({str(fault["loc"][0]) for fault in error.errors()}))
                job_id, error = taken["job_id"], f"The stored episode is malformed: {fields}."
                await self.fail(group_id, job_id, error)
        return None

    async def fail(self, group_id: str, job_id: str, error: str) -> None:
        """Mark an episode that this process has claimed as failed, without another attempt."""
        await self._graph.run(
            "graphiti/queue/put_back",
            group_id=group_id,
            job_id=job_id,
            owner=self._owner,
            attempts=self._attempts,
            status="failed",
            error=error[:_ERROR_CHARACTERS],
            not_before=_now(),
            now=_now(),
        )

    async def renew(self, job: Job) -> None:
        """Extend the lease of an episode."""
        await self._graph.run(
            "graphiti/queue/renew", **self._held(job), lease_until=_now(self._lease)
        )

    async def written(self, job: Job, transaction: Any, episode_id: str) -> None:
        """Record, in the transaction that writes an episode, that it is written.

        Raises:
            LostJobError: Another process has claimed the episode.
        """
        noted = await self._graph.run_within(
            transaction, "graphiti/queue/written", **self._held(job), episode_id=episode_id
        )
        if not noted:
            raise LostJobError(job.job_id)

    async def finish(self, job: Job, *, entities: int, facts: int) -> None:
        """Mark an episode as read."""
        await self._graph.run(
            "graphiti/queue/finish", **self._held(job), entities=entities, facts=facts, now=_now()
        )

    def exhausted(self, job: Job) -> bool:
        """Return True after the last attempt of an episode."""
        return job.attempts >= self._attempts

    async def put_back(self, job: Job, error: str, *, pause_seconds: float) -> None:
        """Record why an episode could not be read, and queue it again with exponential backoff.

        After the last attempt it fails. The first pause is `pause_seconds`, and each further one
        twice as long.
        """
        await self._graph.run(
            "graphiti/queue/put_back",
            **self._held(job),
            attempts=job.attempts,
            status="failed" if self.exhausted(job) else "queued",
            error=" ".join(error.split())[:_ERROR_CHARACTERS],
            not_before=_now(timedelta(seconds=pause_seconds * 2 ** (job.attempts - 1))),
            now=_now(),
        )

    async def release(self, job: Job) -> None:
        """Return an episode to the queue without counting the attempt."""
        await self._graph.run(
            "graphiti/queue/put_back",
            **self._held(job),
            attempts=job.attempts - 1,
            status="queued",
            error=None,
            not_before=_now(),
            now=_now(),
        )

    async def retry(self, group_id: str, job_ids: Sequence[str] | None) -> list[str]:
        """Queue failed episodes again, and return the ids of their jobs."""
        wanted = None if job_ids is None else list(job_ids)
        return await self._graph.rows(
            "graphiti/queue/retry", str, group_id=group_id, job_ids=wanted, now=_now()
        )

    def _held(self, job: Job) -> dict[str, str]:
        return {"group_id": job.group_id, "job_id": job.job_id, "owner": self._owner}


def _now(later: timedelta = timedelta()) -> str:
    return instant(datetime.now(UTC) + later)
