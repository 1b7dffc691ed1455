"""The lifecycle toolset: how memories fade, and what becomes of them."""

from typing import Annotated

from pydantic import Field, WithJsonSchema

from graph_memory.api.lifecycle import Points, Span
from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import Line, MemoryId
from graph_memory.domain.inputs import PolicyName as Policy
from graph_memory.domain.timestamps import EndMoment, SimulatedTime
from graph_memory.server import parameters
from graph_memory.server.tool import DESTROYS, PURE_READS, WRITES, Toolset
from graph_memory.server.views.base import GotMemory
from graph_memory.server.views.lifecycle import DecayStatusView, Forecasted, Preserved, ScanReport
from graph_memory.server.views.relations import ObsoleteMemory

toolset = Toolset()

_DECAY_TAGS = {"category": "memory", "tags": ["memory", "decay", "admin", "lifecycle", "gc"]}


@toolset.tool("Explain fading", PURE_READS)
async def memory_decay_status(
    memory: GraphMemory, memory_id: parameters.Id, group_id: parameters.Group = None
) -> DecayStatusView:
    """How far a memory has faded, by which terms, and what comes when."""
    status = await memory.decay_status(memory_id, group_id=group_id)
    return DecayStatusView.of(status, memory.decay_rules())


@toolset.tool("Preserve a memory", WRITES)
async def memory_preserve(
    memory: GraphMemory,
    memory_id: parameters.Id,
    until: Annotated[EndMoment | None, Field(description="ISO 8601; default for good.")] = None,
    release: Annotated[bool, Field(description="True: let it fade again.")] = False,
    group_id: parameters.Group = None,
) -> Preserved:
    """Protect a memory from fading, and wake it."""
    return Preserved.of(
        await memory.preserve(memory_id, until=until, release=release, group_id=group_id)
    )


@toolset.tool("Recover a memory", WRITES, synonyms={"memory_uuid": "memory_id"})
async def recover_soft_deleted(
    memory: GraphMemory, memory_id: parameters.Id, group_id: parameters.Group = None
) -> GotMemory:
    """Take back a deletion, relations included; for 90 days by default."""
    return GotMemory(memory=await memory.recover(memory_id, group_id=group_id))


@toolset.tool("Forecast forgetting", PURE_READS)
async def memory_forecast(
    memory: GraphMemory,
    days: Annotated[Span, Field(description="How far to look."), parameters.REAL] = 365.0,
    points: Annotated[
        Points, Field(description="Into how many intervals."), parameters.NUMBER
    ] = 12,
    now: Annotated[SimulatedTime | None, Field(description="Where to begin; default now.")] = None,
    policy: Annotated[Policy | None, Field(description="Suppose another policy.")] = None,
    numbers: Annotated[
        dict[str, str] | None,
        Field(description="Suppose other decay settings, by name."),
        WithJsonSchema({"type": "object"}),
    ] = None,
    group_id: parameters.Group = None,
) -> Forecasted:
    """How many memories will be in which state; which go first."""
    return Forecasted.of(
        await memory.forecast(
            days=days, points=points, now=now, policy=policy, numbers=numbers, group_id=group_id
        )
    )


@toolset.tool("Lower confidence", WRITES, meta=_DECAY_TAGS)
async def run_decay_scan(
    memory: GraphMemory,
    memory_ids: Annotated[
        tuple[MemoryId, ...] | None, Field(description="Only these; default: all.")
    ] = None,
    project_id: parameters.Project = None,
    dry_run: Annotated[bool, Field(description="True: only tell.")] = True,
    group_id: parameters.Group = None,
) -> ScanReport:
    """Lower the confidence of what is unused for 90 days; the least, after 180, expires."""
    return ScanReport.of(
        await memory.scan_confidence(
            memory_ids, project_id=project_id, dry_run=dry_run, group_id=group_id
        )
    )


@toolset.tool("Mark a memory obsolete", DESTROYS)
async def mark_memory_obsolete(
    memory: GraphMemory,
    memory_id: parameters.Id,
    reason: Annotated[Line, Field(description="Why; shown in its history.")],
    superseded_by: Annotated[MemoryId | None, Field(description="What holds instead.")] = None,
    group_id: parameters.Group = None,
) -> ObsoleteMemory:
    """Expire a memory that no longer holds; searches leave it out, as_of still finds it."""
    marked = await memory.mark_obsolete(
        memory_id, reason, superseded_by=superseded_by, group_id=group_id
    )
    return ObsoleteMemory.of(marked)
