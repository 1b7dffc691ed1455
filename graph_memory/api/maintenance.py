"""Maintenance runs: start, dry run, undo, pause, resume and status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Unpack, cast

from pydantic import Field

from graph_memory.api.arguments import RunArguments, Time
from graph_memory.context import Context
from graph_memory.database.lease import LeaseState
from graph_memory.domain.inputs import GroupId, Line, validate, validate_selection, validate_value
from graph_memory.domain.timestamps import Moment, optional_instant
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.graphiti import queue
from graph_memory.learning.revoking import RevokedSource
from graph_memory.maintenance import records, servers
from graph_memory.maintenance.dry_run import Overrides
from graph_memory.maintenance.records import Pause, Run
from graph_memory.maintenance.report import MaintenanceReport
from graph_memory.maintenance.request import Progress, RunRequest
from graph_memory.maintenance.revoking import Revocation, revoke_source
from graph_memory.maintenance.undo import UndoReport
from graph_memory.memories.classification import QueueReport
from graph_memory.wording import argument

Budget = Annotated[int, Field(ge=0, le=1_000_000)]
RunId = Annotated[str, Field(min_length=1, max_length=64)]

#: The sources of which a text has one at most.
_EXCLUSIVE = ("run", "import_id", "episode_id")


@dataclass(frozen=True, slots=True)
class MaintenanceStatus:
    """The state of maintenance: pause, present run, memories due and latest runs."""

    paused: Pause | None
    running: LeaseState | None
    due_now: int  #: number of memories with a transition that is due
    due_in_a_day: int  #: the number in 24 hours
    runs: list[Run]  #: the latest first


class MaintenanceApi:
    """The maintenance of a `GraphMemory`: `memory.maintenance`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def run(
        self,
        *,
        on_progress: Progress = lambda done, of: None,
        **request: Unpack[RunArguments],
    ) -> MaintenanceReport:
        """Run maintenance: update the decay of memories, and carry out the transitions due.

        Args:
            on_progress: Called with the number of memories since the last call, and of all
                memories, or None if that is not known.
            request: The fields of `RunRequest`.

        Raises:
            RunsPausedError: Maintenance is paused.
            RunLockedError: Another run is in progress.
        """
        return await servers.maintain_all(self._context, validate(RunRequest, request), on_progress)

    async def dry_run(
        self,
        *,
        now: Time | None = None,
        policy: str | None = None,
        numbers: Mapping[str, Any] | None = None,
        **request: Unpack[RunArguments],
    ) -> MaintenanceReport:
        """Return the report of a run without a change to any memory.

        Args:
            now: Instant of the run, from 1970 to 8999; by default now.
            policy: Policy to assume: its name, or the path of a `.cypher` file. None for the
                current one.
            numbers: Decay settings to assume, by name: values, or their text.
            request: The fields of `RunRequest`.

        Raises:
            InvalidArgumentError: A policy, file or setting does not exist, or a value is out of
                range.
        """
        other = {"now": now, "policy": policy, "numbers": numbers or {}}
        return await servers.simulate_all(
            self._context, validate(RunRequest, request), validate(Overrides, other)
        )

    async def undo(self, run_id: str, *, group_id: str | None = None) -> UndoReport:
        """Undo the changes of a run; memories that were changed since stay, and are listed.

        Args:
            run_id: The run, or the beginning of its id.
            group_id: The tenant whose memories are restored; None for all.

        Raises:
            AmbiguousIdError: Several runs have ids that begin so.
            UndoRefusedError: The run cannot be undone.
            RunLockedError: A run is in progress.
        """
        context = self._context
        given = validate_value(RunId, run_id, "run_id")
        group = None if group_id is None else context.group(group_id)
        undone = await servers.undo_all(context, given, group_id=group, now=context.clock())
        context.forget_learned()
        return undone

    async def revoke_source(
        self,
        reason: str = "its source was revoked",
        *,
        token: str | None = None,
        run: str | None = None,
        import_id: str | None = None,
        episode_id: str | None = None,
        conversation_id: str | None = None,
        since: Time | None = None,
        dry_run: bool = False,
        group_id: str | None = None,
    ) -> Revocation:
        """Take back all that came from a source, as a run that `undo` takes back.

        Memories of the source are soft-deleted, and so are all that have one of them as an
        ancestor. Relations of the source are ended. A memory belongs to the source of its present
        text. All that is given must match.

        Args:
            reason: The reason, for the history.
            token: The id of a token, its name and id, or the subject of a JWT.
            run: The run that wrote it, or the beginning of its id.
            import_id: The import that wrote it.
            episode_id: The job of the episode in which Graphiti found it, or the beginning of its
                id.
            conversation_id: The conversation that it is from.
            since: The earliest instant of a text or relation.
            dry_run: True to report without a change.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several runs or jobs have ids that begin so.
            InvalidArgumentError: No source is given, or two of run, import and episode.
            RunLockedError: A run is in progress.
        """
        named = {"token": token, "run": run, "import_id": import_id}
        named |= {"episode_id": episode_id, "conversation_id": conversation_id}
        lines = {
            name: validate_value(Line, text, name)
            for name, text in named.items()
            if text is not None
        }
        scope = self._context.scope(group_id)
        source = _source(
            await self._whole(lines, scope.group_id),
            None if since is None else validate_value(Moment, cast(Any, since), "since"),
        )
        return await revoke_source(
            self._context.of(scope.group_id),
            scope,
            source,
            validate_value(Line, reason, "reason"),
            dry_run=dry_run,
        )

    async def _whole(self, named: Mapping[str, str], group: str) -> dict[str, str]:
        """Return sources with whole ids of a run and a job in place of their beginnings."""
        graph = self._context.of(group).graph
        run = {name: text for name, text in named.items() if name == "run"}
        job = {name: text for name, text in named.items() if name == "episode_id"}
        return {
            **named,
            **await records.complete_ids([graph], run, group_id=group),
            **await queue.complete_ids(graph, job, group),
        }

    async def pause(self, reason: str = "no reason given") -> Pause | None:
        """Prevent runs from starting, and stop the present one after its next batch."""
        return await servers.pause_all(self._context, validate_value(Line, reason, "reason"))

    async def resume(self) -> Pause | None:
        """Allow runs again, and return the pause that ends, or None without one."""
        return await servers.resume_all(self._context)

    async def status(self) -> MaintenanceStatus:
        """Return the pause, the run in progress, the number of memories due, and the last runs."""
        context, now = self._context, self._context.clock()
        return MaintenanceStatus(
            paused=await records.paused(context.graph),
            running=await servers.running(context),
            due_now=await servers.due(context, now),
            due_in_a_day=await servers.due(context, now + timedelta(days=1)),
            runs=await servers.latest_runs(context),
        )

    async def classify(
        self, *, budget: int | None = None, groups: Sequence[str] | None = None
    ) -> QueueReport:
        """Rate memories that wait for the language model.

        Args:
            budget: Maximum number of memories, 0 to 1,000,000; by default
                `settings.classification_budget`.
            groups: The tenants, at least one; None for all.

        Raises:
            SettingsError: No language model is configured, or classification is disabled.
        """
        context = self._context
        if not context.settings.classifies:
            raise SettingsError(
                "No language model rates memories. Set GRAPH_MEMORY_LLM_URL, and leave "
                "GRAPH_MEMORY_CLASSIFICATION_ENABLED on."
            )
        selected = validate_selection(GroupId, groups, "groups")
        return await servers.classify_all(
            context,
            groups=selected and [context.group(group) for group in selected],
            budget=None if budget is None else validate_value(Budget, budget, "budget"),
        )


def _source(named: Mapping[str, str], since: datetime | None) -> RevokedSource:
    """Return the source that arguments name.

    Raises:
        InvalidArgumentError: None is given, or two that exclude each other.
    """
    if not named and since is None:
        options = ", ".join(map(argument, ("token", *_EXCLUSIVE, "conversation_id")))
        raise InvalidArgumentError(
            "token", None, f"give at least one of {options} and {argument('since')}"
        )
    origins = [name for name in _EXCLUSIVE if name in named]
    if len(origins) > 1:
        first, second, *_ = origins
        raise InvalidArgumentError(
            first, named[first], f"{argument(second)} is given, too; give one"
        )
    return RevokedSource(
        token=named.get("token"),
        origin_id=named[origins[0]] if origins else None,
        conversation_id=named.get("conversation_id"),
        since=optional_instant(since),
    )
