"""The lifecycle toolset: decay, protection, recovery and forecast."""

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Points, Span
from graph_memory.domain.inputs import Line, MemoryId
from graph_memory.domain.inputs import PolicyName as Policy
from graph_memory.domain.timestamps import EndMoment, SimulatedTime
from graph_memory.server import parameters
from graph_memory.server.schemas import UNLISTED, Unlisted
from graph_memory.server.tool import DESTROYS, READS, SETS, WRITES, Toolset
from graph_memory.server.views.lifecycle import (
    ConfidenceScanView,
    DecayStatusView,
    ForecastView,
    PreservationView,
    RecoveredView,
    RejectionView,
)
from graph_memory.server.views.relations import ObsoleteView

toolset = Toolset()
rejecting = Toolset()

_DECAY_TAGS = {"category": "memory", "tags": ["memory", "decay", "admin", "lifecycle", "gc"]}


@toolset.tool("Explain decay", READS)
async def memory_decay_status(
    memory: GraphMemory, memory_id: parameters.MemoryId, group_id: parameters.GroupId = None
) -> DecayStatusView:
    """Explain why a memory fades when a user asks: its score, the terms and the dates ahead."""
    status = await memory.lifecycle.status(memory_id, group_id=group_id)
    return DecayStatusView.of(status, memory.lifecycle.rules_hash())


@toolset.tool("Preserve a memory", SETS)
async def memory_preserve(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    until: Annotated[
        EndMoment | None, Field(description="Last day or time, ISO 8601; default: none.")
    ] = None,
    release: Annotated[bool, Field(description="End the protection.")] = False,
    group_id: parameters.GroupId = None,
) -> PreservationView:
    """Protect a memory from decay when it must not be forgotten, and make it ACTIVE."""
    return PreservationView.of(
        await memory.lifecycle.preserve(memory_id, until=until, release=release, group_id=group_id)
    )


@toolset.tool("Recover a memory", SETS, synonyms={"memory_uuid": "memory_id"})
async def recover_soft_deleted(
    memory: GraphMemory, memory_id: parameters.MemoryId, group_id: parameters.GroupId = None
) -> RecoveredView:
    """Restore a deleted memory when it is needed again, within 90 days."""
    recovered = await memory.lifecycle.recover(memory_id, group_id=group_id)
    return RecoveredView(memory=recovered, lifted=recovered.lifted)


@rejecting.tool("Reject a memory", DESTROYS)
async def reject_memory(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    reason: Annotated[
        Line | None, Field(description="Reason, shown when the statement is refused.")
    ] = None,
    group_id: parameters.GroupId = None,
) -> RejectionView:
    """Delete a memory when a user calls it wrong, and refuse its statement from now on.

    A correction without a new value needs this; recover_soft_deleted undoes it.
    """
    rejected = await memory.lifecycle.reject(memory_id, reason=reason, group_id=group_id)
    return RejectionView.of(rejected)


@toolset.tool("Forecast forgetting", READS)
async def memory_forecast(
    memory: GraphMemory,
    days: Annotated[Span, Field(description="Length in days."), parameters.REAL] = 365.0,
    points: Annotated[
        Points, Field(description="Number of intervals."), parameters.NUMBER, UNLISTED
    ] = 12,
    now: Annotated[
        SimulatedTime | None, Field(description="Start, ISO 8601; default: now."), UNLISTED
    ] = None,
    policy: Annotated[
        Policy | None,
        Field(description="Decay policy to assume; default: the current one."),
        UNLISTED,
    ] = None,
    numbers: Annotated[
        dict[str, Any] | None,
        Field(description="Decay settings to assume, by name."),
        WithJsonSchema({"type": "object"}),
        UNLISTED,
    ] = None,
    group_id: parameters.GroupId = None,
) -> ForecastView:
    """Forecast forgetting when a user asks what will be lost: states over time, first losses."""
    return ForecastView.of(
        await memory.lifecycle.forecast(
            days=days, points=points, now=now, policy=policy, numbers=numbers, group_id=group_id
        )
    )


@toolset.tool("Lower confidence", WRITES, meta=_DECAY_TAGS)
async def run_decay_scan(
    memory: GraphMemory,
    memory_ids: Annotated[
        tuple[MemoryId, ...] | None, Field(description="Some ids; default: all."), UNLISTED
    ] = None,
    project_id: Unlisted[parameters.ProjectId] = None,
    dry_run: Annotated[bool, Field(description="Only report.")] = True,
    group_id: parameters.GroupId = None,
) -> ConfidenceScanView:
    """Lower the confidence of memories when they were unused for 90 days."""
    return ConfidenceScanView.of(
        await memory.lifecycle.scan_confidence(
            memory_ids, project_id=project_id, dry_run=dry_run, group_id=group_id
        )
    )


@toolset.tool("Mark a memory obsolete", DESTROYS)
async def mark_memory_obsolete(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    reason: Annotated[Line, Field(description="Reason, shown in the history.")],
    superseded_by: Annotated[MemoryId | None, Field(description="Id of its replacement.")] = None,
    group_id: parameters.GroupId = None,
) -> ObsoleteView:
    """Expire a memory when it is no longer true. Searches omit it; reads with as_of find it."""
    marked = await memory.lifecycle.mark_obsolete(
        memory_id, reason, superseded_by=superseded_by, group_id=group_id
    )
    return ObsoleteView.of(marked)
