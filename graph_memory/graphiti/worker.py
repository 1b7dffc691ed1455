"""The worker that reads queued episodes with Graphiti and turns their entities into memories.

An episode is written in one transaction with its mark in the job, so it is written exactly once,
even if a process is killed. The remaining steps, vectors and ratings, are idempotent.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from graph_memory.context import Context
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.scope import CallScope
from graph_memory.errors import (
    GraphMemoryError,
    GraphUnavailableError,
    LlmError,
    RejectedBeforeError,
    SettingsError,
)
from graph_memory.graphiti.queue import Job, Jobs, LostJobError
from graph_memory.memories import classification, tombstones
from graph_memory.memories.classification import UnratedMemory
from graph_memory.memories.embeddings import EmbeddingTask, embed

if TYPE_CHECKING:
    from graph_memory.graphiti.client import Reader

_log = logging.getLogger(__name__)

#: Groups processed concurrently; the episodes of one group are read in turn.
_GROUPS = 4

#: Interval at which the queue is polled for changes made by other processes.
_LOOK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Mentioned:
    """An entity that an episode mentions."""

    memory_id: str
    content: StoredContent
    content_hash: str | None
    created_at: str
    updated_at: str | None
    known: bool
    unrated: bool
    unembedded: bool


class Worker:
    """A worker that reads queued episodes."""

    def __init__(self, context: Context) -> None:
        settings = context.settings
        self.jobs = Jobs(
            context.graph,
            lease_seconds=settings.episode_lease_seconds,
            attempts=settings.episode_attempts,
        )
        self._context = context
        self._settings = settings
        self._readers: dict[str, Reader] = {}
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[int]] = set()

    def notify(self) -> None:
        """Wake the worker, because an episode was queued."""
        self._news.set()

    @asynccontextmanager
    async def processing_queue(self) -> AsyncGenerator[None]:
        """Process the queue in the background while the context is open."""
        task = asyncio.create_task(self._process_forever())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def process(self, groups: Sequence[str] | None = None) -> int:
        """Read all episodes that are due, and return how many ended, read or failed."""
        if self._context.chat is None:
            raise SettingsError("Episodes need a language model. Set GRAPH_MEMORY_LLM_URL.")
        now = datetime.now(UTC)
        due = [w.group_id for w in await self.jobs.due_groups(groups) if w.due_at <= now]
        room = asyncio.Semaphore(_GROUPS)

        async def process(group_id: str) -> int:
            async with room:
                return await self._process_group(group_id)

        # Wait for all groups, even if one fails or the task is cancelled.
        ended = await asyncio.gather(*map(process, due), return_exceptions=True)
        for failure in ended:
            if isinstance(failure, BaseException):
                raise failure
        return sum(count for count in ended if isinstance(count, int))

    async def process_for(self, group_id: str, seconds: float) -> None:
        """Read a group's episodes, and wait up to `seconds`; reading continues after that."""
        task = asyncio.create_task(self.process([group_id]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.wait([task], timeout=seconds)
        if task.done():
            task.result()

    async def drain(self, groups: Sequence[str] | None = None) -> int:
        """Read episodes until the queue is empty, including retries; return how many ended."""
        ended = 0
        while due_groups := await self.jobs.due_groups(groups):
            seconds = (due_groups[0].due_at - datetime.now(UTC)).total_seconds()
            await asyncio.sleep(max(min(seconds, _LOOK_SECONDS), self._cooldown_seconds()))
            ended += await self.process(groups)
        return ended

    async def close(self) -> None:
        """Stop reading, queue unfinished episodes again, and close Graphiti's connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for reader in self._readers.values():
            await reader.close()

    async def _process_forever(self) -> None:
        while True:
            self._news.clear()
            try:
                await self.process()
            except GraphMemoryError as error:
                _log.warning("Episodes wait: %s", error)
            except Exception:  # the worker must survive, or no episode would be read any more
                _log.exception("Episodes wait: unexpected error.")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(_LOOK_SECONDS, self._cooldown_seconds())):
                    await self._news.wait()

    async def _process_group(self, group_id: str) -> int:
        ended = 0
        while not self._cooldown_seconds() and (job := await self._claim(group_id)):
            ended += await self._process_job(job)
        return ended

    async def _claim(self, group_id: str) -> Job | None:
        """Claim a group's next episode; release it if the task is cancelled in the meantime."""
        claiming = asyncio.create_task(self.jobs.claim(group_id))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            if job := await claiming:
                await self.jobs.release(job)
            raise

    def _cooldown_seconds(self) -> float:
        return self._context.chat.cooldown_seconds if self._context.chat else 0.0

    async def _process_job(self, job: Job) -> bool:
        """Read an episode, and return True if it ended."""
        heartbeat = asyncio.create_task(self._heartbeat(job))
        try:
            async with asyncio.timeout(self._settings.episode_timeout_seconds):
                await self._read(job)
                entities, facts = await self._complete(job)
            await self.jobs.finish(job, entities=entities, facts=facts)
        except LostJobError as error:
            _log.warning("%s", error)
            return False
        except RejectedBeforeError as error:
            _log.warning("Episode %s: %s", job.job_id, error)
            await self.jobs.fail(job.group_id, job.job_id, str(error))
        except GraphUnavailableError:
            raise  # nothing can be recorded; the episode is claimed again after its lease
        except asyncio.CancelledError:
            await asyncio.shield(self.jobs.release(job))
            raise
        except Exception as error:  # any error of Graphiti must end the episode with a reason
            return await self._put_back(job, error)
        finally:
            heartbeat.cancel()
        return True

    async def _put_back(self, job: Job, error: Exception) -> bool:
        reason = (
            str(error)
            if isinstance(error, GraphMemoryError)
            else _describe_error(error, self._settings)
        )
        _log.warning("Episode %s, attempt %d: %s", job.job_id, job.attempts, reason)
        _log.debug("", exc_info=error)
        pause_seconds = self._settings.episode_retry_seconds
        await self.jobs.put_back(job, reason, pause_seconds=pause_seconds)
        return self.jobs.exhausted(job)

    async def _heartbeat(self, job: Job) -> None:
        while True:
            await asyncio.sleep(self._settings.episode_lease_seconds / 4)
            with contextlib.suppress(GraphMemoryError):
                await self.jobs.renew(job)

    async def _read(self, job: Job) -> None:
        if job.episode_id is not None:
            return
        await self._require_not_rejected(job)
        reader, text_of = await self._graphiti(job.group_id)
        await reader.read(
            text_of(
                group_id=job.group_id,
                name=job.name,
                content=job.content,
                source=job.source,
                source_description=job.source_description,
                reference_time=job.reference_time,
                entity_types=job.entity_types,
                saga=job.saga,
                update_communities=job.update_communities,
                origin=job.derived,
            ),
            partial(self.jobs.written, job),
        )

    async def _require_not_rejected(self, job: Job) -> None:
        """Raise `RejectedBeforeError` if the text was rejected or erased while it was queued.

        Values of slots do not count: they were judged when it was queued, or by a review.
        """
        (error,) = await tombstones.check_each(
            self._context.graph, self._settings, job.group_id, [job.content]
        )
        if error:
            raise error

    async def _graphiti(self, group_id: str) -> Any:
        """Return Graphiti on the server of a group and its text class, made at first use."""
        context = self._context.of(group_id)
        name = context.graph.name
        if name not in self._readers:
            _prepare_import(self._settings.embedding_dimensions)
            client = await asyncio.to_thread(_import_client)
            assert context.chat is not None  # noqa: S101 - checked before a job is claimed
            self._readers[name] = client.Reader(context.engine, context.chat)
        return self._readers[name], _import_client().Text

    async def _complete(self, job: Job) -> tuple[int, int]:
        """Embed and rate the entities that an episode mentions, and count accesses to known ones.

        Returns:
            The numbers of entities and facts of the episode.
        """
        context, group_id = self._context, job.group_id
        found = await self.jobs.find(group_id, job.job_id)
        which = {"group_id": group_id, "episode_id": (found and found.episode_id) or ""}
        mentioned = await context.graph.rows("graphiti/worker/mentioned", _Mentioned, **which)
        bare = [
            EmbeddingTask(m.memory_id, m.content, m.content_hash, m.created_at)
            for m in mentioned
            if m.unembedded
        ]
        if bare:
            await embed(context.engine, group_id, bare)
        await self._rate(group_id, [m for m in mentioned if m.unrated])
        known = [m.memory_id for m in mentioned if m.known]
        context.accesses.delivered(CallScope(group_id, context.clock()), known)
        facts = await context.graph.one("graphiti/worker/facts", int, **which)
        return len(mentioned), facts or 0

    async def _rate(self, group_id: str, unrated: list[_Mentioned]) -> None:
        context = self._context
        if not context.settings.classifies or context.chat is None:
            return
        scope = CallScope(group_id, context.clock())
        memories = [UnratedMemory(m.memory_id, m.content, m.updated_at) for m in unrated]
        try:
            await classification.rate_waiting(context.engine, scope, context.chat, memories)
        except LlmError as error:
            _log.warning("%d entities wait for a rating: %s", len(memories), error)


def _describe_error(error: Exception, settings: Any) -> str:
    """Describe an error without its message, which may hold text of the episode."""
    if isinstance(error, TimeoutError):
        return f"Reading took longer than {settings.episode_timeout_seconds:g} s."
    return f"Graphiti failed: {type(error).__name__}."


def _prepare_import(dimensions: int) -> None:
    """Set the environment that Graphiti reads at import; telemetry is off by default."""
    os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
    os.environ.setdefault("PYTHON_DOTENV_DISABLED", "true")
    os.environ["EMBEDDING_DIM"] = str(dimensions)


def _import_client() -> Any:
    from graph_memory.graphiti import client

    return client
