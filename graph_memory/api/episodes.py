"""Episodes: texts in which Graphiti finds entities and facts."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Unpack

from pydantic import ConfigDict, Field, StringConstraints

from graph_memory.api.arguments import EpisodeDetails
from graph_memory.auth.grants import Scope
from graph_memory.context import Context
from graph_memory.domain.encoding import default_title
from graph_memory.domain.inputs import (
    Content,
    GroupId,
    Line,
    MemoryId,
    Text,
    validate,
    validate_selection,
    validate_value,
)
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import Moment, instant
from graph_memory.errors import (
    InvalidArgumentError,
    JobNotFoundError,
    LimitExceededError,
    SettingsError,
)
from graph_memory.graphiti.queue import JobStatus, complete_ids
from graph_memory.graphiti.worker import Worker
from graph_memory.memories import pending, tombstones
from graph_memory.wording import argument, operation

#: Labels that have a meaning of their own in the database.
_RESERVED_TYPES = frozenset(
    ("Entity", "Memory", "Episodic", "Community", "Saga", "PurgedMemory", "MemoryVersion")
)

_LOOK_SECONDS = 0.2

Kind = Literal["text", "message", "json"]
TypeLabel = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
EntityTypes = Annotated[
    Mapping[TypeLabel, Annotated[Text, Field(max_length=1000)]], Field(max_length=50)
]
Listed = Annotated[int, Field(ge=1, le=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode:
    """A text to read; None means the default."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", revalidate_instances="always", allow_inf_nan=False
    )

    content: Content
    name: Line | None = None
    source: Kind = "text"
    source_description: Annotated[Text, Field(max_length=1000)] = ""
    reference_time: Moment | None = None  #: instant to which "yesterday" in the text refers
    entity_types: EntityTypes = field(default_factory=dict[str, str])  #: descriptions by label
    saga: Line | None = None
    update_communities: bool = False


class EpisodesApi:
    """The episodes of a `GraphMemory`: `memory.episodes`."""

    def __init__(self, context: Context, worker: Worker) -> None:
        self._context = context
        self._worker = worker

    async def add(
        self,
        content: str,
        *,
        wait: bool = False,
        group_id: str | None = None,
        **details: Unpack[EpisodeDetails],
    ) -> JobStatus:
        """Queue a text in which Graphiti finds entities and facts.

        Args:
            content: Prose, lines of the form `name: message`, or JSON, by `source`.
            wait: True to read a short text in this call, after the episodes queued before it.
            group_id: The tenant.
            details: The other fields of `NewEpisode`.

        Returns:
            The job of the episode. With `wait` it has ended, unless it takes longer than
            `settings.episode_wait_seconds`.

        Raises:
            InvalidArgumentError: With `wait`, the text exceeds `settings.episode_wait_characters`.
            LimitExceededError: The text is longer than `settings.episode_max_characters`.
            PendingReviewError: The text waits for a review.
            RejectedBeforeError: The group has rejected or erased the text.
            SettingsError: No language model is configured.
        """
        self._require_model()
        episode = validate(NewEpisode, {"content": content, **details})
        self._check(episode, wait=wait)
        scope = self._context.scope(group_id)
        group = scope.group_id
        rule = await tombstones.check(self._context.engine, group, episode.content)
        await self._hold(episode, scope, rule)
        job_id = await self._enqueue(episode, scope)
        if wait:
            return await self._awaited(group, job_id)
        return await self.status(job_id, group_id=group)

    async def admit(self, episode: NewEpisode, scope: CallScope) -> None:
        """Queue an episode that a review has accepted, with the origin of the scope.

        Raises:
            ForbiddenError: The caller's grant has not the scope admin.
            SettingsError: No language model is configured.
        """
        self._context.grant.require(Scope.ADMIN)
        self._require_model()
        await self._enqueue(episode, scope)

    async def _hold(self, episode: NewEpisode, scope: CallScope, rule: str | None) -> None:
        """Raise `PendingReviewError` for an episode that waits for a review, and keep it.

        `rule` is that of a rejected value, if the text states one.
        """
        authority = scope.origin.authority
        rule = rule or pending.rule_for(self._context.settings, scope, authority, episode.content)
        if rule:
            write = pending.Held("episode", episode.content, episode, authority, rule)
            (error,) = await pending.hold(self._context.graph, scope, [write])
            raise error

    async def _enqueue(self, episode: NewEpisode, scope: CallScope) -> str:
        stored = _stored(episode, self._context.clock())
        job_id = await self._worker.jobs.enqueue(scope.group_id, stored, scope.origin)
        self._worker.notify()
        return job_id

    async def status(self, job_id: str, *, group_id: str | None = None) -> JobStatus:
        """Return the job of an episode: queued, running, done or failed.

        Args:
            job_id: The job, or the beginning of its id.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several jobs have ids that begin so.
            JobNotFoundError: The group has no such job.
        """
        group = self._context.group(group_id)
        (given,) = await self._whole({"job_id": validate_value(MemoryId, job_id, "job_id")}, group)
        found = await self._worker.jobs.find(group, given)
        if found is None:
            raise JobNotFoundError(given, group)
        return found

    async def retry(
        self, job_ids: Sequence[str] | None = None, *, group_id: str | None = None
    ) -> list[str]:
        """Queue failed episodes of a group again, and return the ids of their jobs.

        Args:
            job_ids: The jobs, or the beginnings of their ids, at least one; None for all failed
                ones.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several jobs have ids that begin so.
        """
        group = self._context.group(group_id)
        given = validate_selection(MemoryId, job_ids, "job_ids")
        if given is not None:
            named = {f"job_ids.{place}": each for place, each in enumerate(given)}
            given = await self._whole(named, group)
        queued = await self._worker.jobs.retry(group, given)
        self._worker.notify()
        return queued

    async def _whole(self, given: Mapping[str, str], group: str) -> list[str]:
        """Return the ids of jobs that arguments are, or begin."""
        return list((await complete_ids(self._context.graph, given, group)).values())

    async def process(self, groups: Sequence[str] | None = None) -> int:
        """Read queued episodes until none is left, and return their number.

        Args:
            groups: The tenants, at least one; None for all.

        Raises:
            SettingsError: No language model is configured.
        """
        self._require_model()
        selected = validate_selection(GroupId, groups, "groups")
        wanted = selected and [self._context.group(group) for group in selected]
        return await self._worker.drain(wanted)

    @asynccontextmanager
    async def processing(self) -> AsyncGenerator[None]:
        """Read the episodes that any process queued, in the background of the `async with` block.

        Without a language model, none is read.
        """
        if self._context.chat is None:
            yield
            return
        async with self._worker.processing_queue():
            yield

    async def list(
        self,
        *,
        statuses: Sequence[str] | None = None,
        limit: int = 20,
        group_id: str | None = None,
    ) -> list[JobStatus]:
        """List the latest episodes of a group, newest first.

        Args:
            statuses: Statuses to list: queued, running, done, failed; None for all.
            limit: Maximum number of jobs, 1 to 100.
            group_id: The tenant.
        """
        wanted: Any = None
        if statuses:
            known: Any = Literal["queued", "running", "done", "failed"]
            wanted = [validate_value(known, status, "statuses") for status in statuses]
        given = validate_value(Listed, limit, "limit")
        return await self._worker.jobs.latest(self._context.group(group_id), wanted, given)

    def _require_model(self) -> None:
        if self._context.chat is None:
            raise SettingsError(
                "No language model reads episodes. Set GRAPH_MEMORY_LLM_URL, or use "
                f"{operation('add')}."
            )

    def _check(self, episode: NewEpisode, *, wait: bool) -> None:
        """Check the length and the JSON of an episode, and that its labels are not reserved."""
        settings = self._context.settings
        longest = settings.episode_max_characters
        if (length := len(episode.content)) > longest:
            raise LimitExceededError(
                "content", f"{length} characters", f"at most {longest}; split it into several"
            )
        if wait and length > settings.episode_wait_characters:
            raise InvalidArgumentError(
                "wait",
                wait,
                f"only up to {settings.episode_wait_characters} characters are waited for; "
                f"leave it out, and ask {operation('episode_status')} later",
            )
        if taken := sorted(_RESERVED_TYPES & episode.entity_types.keys()):
            raise InvalidArgumentError("entity_types", taken[0], "the label has another meaning")
        if episode.source == "json":
            try:
                json.loads(episode.content)
            except (ValueError, RecursionError) as error:
                raise InvalidArgumentError(
                    "content",
                    episode.content,
                    f"with {argument('source', 'json')} it must be JSON ({error})",
                ) from error

    async def _awaited(self, group: str, job_id: str) -> JobStatus:
        until = time.monotonic() + self._context.settings.episode_wait_seconds
        while True:
            await self._worker.process_for(group, until - time.monotonic())
            status = await self.status(job_id, group_id=group)
            if status.ended or time.monotonic() > until:
                return status
            await asyncio.sleep(_LOOK_SECONDS)


def _stored(episode: NewEpisode, now: datetime) -> dict[str, Any]:
    return {
        "name": episode.name or default_title(episode.content),
        "content": episode.content,
        "source": episode.source,
        "source_description": episode.source_description,
        "reference_time": instant(episode.reference_time or now),
        "entity_types": json.dumps(dict(episode.entity_types)),
        "saga": episode.saga,
        "update_communities": episode.update_communities,
    }
