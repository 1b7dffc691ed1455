"""The report of a maintenance run or of a dry run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from graph_memory.decay.protected import Protected
from graph_memory.domain.timestamps import Instant
from graph_memory.maintenance.records import Failure, Run


@dataclass(frozen=True, slots=True)
class DryRunItem:
    """A memory whose state a run would change, as a dry run shows it."""

    memory_id: str
    lead: str  #: the beginning of its content
    was: str
    becomes: str
    decay_score: float


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """The result of a run, or of a dry run the expected result."""

    run_id: str
    dry_run: bool
    processed: int
    transitioned: Mapping[str, int]  #: by "FROM>TO"
    soft_deleted: int
    purged: int
    compressed: int
    classified: int
    embedded: int
    errors: int
    duration_seconds: float
    completed: bool
    now: Instant
    stages: list[str]
    full: bool  #: it treated every memory, not only the due ones
    truncated: bool  #: it stopped at its time limit
    paused: bool  #: it stopped because maintenance was paused
    resumed: list[str]  #: earlier runs that it finished first
    failed: list[Failure]  #: the first memories that it could not treat
    protected: Protected  #: what does not fade in the groups of the run
    would_go_first: list[DryRunItem] = field(default_factory=list[DryRunItem])


def report_of(
    run: Run,
    protected: Protected,
    *,
    resumed: Sequence[Run] = (),
    dry_run: bool = False,
    would_go_first: Sequence[DryRunItem] = (),
) -> MaintenanceReport:
    """Return the report of a run that has ended.

    Args:
        run: The record of the run; of a dry run, with the expected counts.
        protected: The protecting tags, and the memories that do not fade.
        resumed: The earlier runs that it finished first.
        dry_run: Whether the counts are only expected.
        would_go_first: The most faded memories whose state a dry run would change.
    """
    return MaintenanceReport(
        run_id=run.run_id,
        dry_run=dry_run,
        **asdict(run.counts),
        transitioned=run.transitioned,
        duration_seconds=run.duration_seconds,
        completed=run.status == "done",
        now=run.now,
        stages=run.stages,
        full=run.full,
        truncated=run.truncated,
        paused=run.status == "stopped" and not run.truncated,
        resumed=[earlier.run_id for earlier in resumed],
        failed=run.failed,
        protected=protected,
        would_go_first=list(would_go_first),
    )
