"""The part of the admin toolset that runs and undoes maintenance."""

from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import MaintenanceReport, RunId, Scope, StageName, UndoRefusal
from graph_memory.domain.inputs import PolicyName
from graph_memory.domain.timestamps import Instant, SimulatedTime
from graph_memory.errors import InvalidArgumentError
from graph_memory.server import parameters
from graph_memory.server.schemas import UNLISTED
from graph_memory.server.tool import SETS, WRITES, Toolset
from graph_memory.server.views.base import ValueView, View

toolset = Toolset(Scope.ADMIN)


class MaintenanceView(View):
    """The report of a maintenance run or of a dry run."""

    report: MaintenanceReport

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return handler(self)["report"]

    def text(self) -> str:
        """Return the transitions, and the run id for an undo."""
        run = self.report
        moved = ", ".join(f"{arrow}: {count}" for arrow, count in run.transitioned.items())
        verb = "would process" if run.dry_run else "processed"
        begun = f"Run {run.run_id} {verb} {run.processed} memories"
        ended = "" if run.completed else " and stopped early"
        lines = [f"{begun}{ended}. {moved or 'None changes its state'}."]
        lines += [run.warning] if run.warning else []
        lines += [left.explanation for left in run.unfinished]
        lines.append(f"Protected: {run.protected.describe()}.")
        lines += [f"{c.was}>{c.becomes} {c.memory_id} {c.lead}" for c in run.would_go_first]
        learned = "would learn" if run.dry_run else "learned"
        lines += [f"It {learned} {run.learned} changes."] if run.learned else []
        changes = (*run.would_learn, *run.weights)
        lines += [f"{c.memory_id} {c.becomes}: {c.reason}" for c in changes]
        lines += [f"Failed: {f.memory_id}: {f.reason}" for f in run.failed]
        return "\n".join(lines)


class UndoView(ValueView):
    """The result of an undo."""

    run_id: str
    restored: int
    unlearned: int
    refused: int
    refusals: list[UndoRefusal]
    held_until: Instant | None
    explanation: str

    def text(self) -> str:
        """Return the counts, what happens next, and the reason for each memory not restored."""
        return "\n".join([self.explanation, *(f"{r.memory_id}: {r.reason}" for r in self.refusals)])


@toolset.tool("Run maintenance", WRITES)
async def run_decay_maintenance(
    memory: GraphMemory,
    dry_run: Annotated[bool, Field(description="Only report.")] = False,
    batch_size: Annotated[
        int | None,
        Field(ge=1, le=100_000, description="Memories per transaction."),
        parameters.NUMBER,
        UNLISTED,
    ] = None,
    stages: Annotated[
        tuple[StageName, ...] | None,
        Field(min_length=1, description="Stages such as protection, decay, purge; default: all."),
        parameters.WORDS,
        UNLISTED,
    ] = None,
    max_seconds: Annotated[
        float | None,
        Field(gt=0, le=86_400, description="Time limit in seconds."),
        parameters.REAL,
        UNLISTED,
    ] = None,
    full: Annotated[bool, Field(description="Also what is not due.")] = False,
    now: Annotated[
        SimulatedTime | None, Field(description="With dry_run: time to assume, ISO 8601."), UNLISTED
    ] = None,
    policy: Annotated[
        PolicyName | None, Field(description="With dry_run: decay policy to assume."), UNLISTED
    ] = None,
    group_id: parameters.GroupId = None,
) -> MaintenanceView:
    """Update decay states when no schedule does it, and expire or purge what is due."""
    asked: dict[str, Any] = {
        "groups": [memory.group(group_id)],
        "batch_size": batch_size,
        "stages": stages,
        "max_seconds": max_seconds,
        "full": full,
    }
    if dry_run:
        report = await memory.maintenance.dry_run(now=now, policy=policy, **asked)
        return MaintenanceView(report=report)
    for name, value in (("now", now), ("policy", policy)):
        if value is not None:
            raise InvalidArgumentError(
                name, str(value), "a run uses the clock and the settings; use dry_run"
            )
    return MaintenanceView(report=await memory.maintenance.run(**asked))


@toolset.tool("Undo maintenance", SETS)
async def undo_maintenance(
    memory: GraphMemory,
    run_id: Annotated[RunId, Field(description="Id of the run.")],
    group_id: parameters.GroupId = None,
) -> UndoView:
    """Restore what a maintenance run changed when it forgot too much."""
    return UndoView.of(await memory.maintenance.undo(run_id, group_id=memory.group(group_id)))
