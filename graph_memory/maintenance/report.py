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
class LearnedChange:
    """A change that a stage of learning makes, or would make in a dry run."""

    stage: str
    memory_id: str  #: of aliases, an entity; of weights, the group
    was: str | None
    becomes: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """An interrupted run that the next run would finish first, and what is left of it."""

    run_id: str
    now: Instant  #: the instant of the run, at which it is finished
    groups: list[str] | None  #: None: all groups
    stages: list[str]  #: that are left
    processed: int
    transitioned: Mapping[str, int]  #: by "FROM>TO"
    purged: int

    @property
    def explanation(self) -> str:
        """The extent of the finish, in a sentence."""
        groups = "all groups" if self.groups is None else ", ".join(self.groups)
        moved = ", ".join(f"{arrow}: {count}" for arrow, count in self.transitioned.items())
        return (
            f"Run {self.run_id} of {self.now:%Y-%m-%d %H:%M} UTC was interrupted, and would first "
            f"be finished for {groups}, from the stage {self.stages[0] if self.stages else 'end'}: "
            f"{self.processed} memories; {moved or 'none changes its state'}; "
            f"{self.purged} purged."
        )


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
    learned: int  #: proposals made and accepted, and learned values
    errors: int
    duration_seconds: float
    completed: bool
    now: Instant
    stages: list[str]
    full: bool  #: it treated every memory, not only the due ones
    truncated: bool  #: it stopped at its time limit
    paused: bool  #: it stopped because maintenance was paused
    resumed: list[str]  #: earlier runs that it finished first, or a dry run would finish
    failed: list[Failure]  #: the first memories that it could not treat
    protected: Protected  #: what does not fade in the groups of the run
    would_go_first: list[DryRunItem] = field(default_factory=list[DryRunItem])
    #: What a dry run would finish first; the other counts are without it.
    unfinished: list[UnfinishedRun] = field(default_factory=list[UnfinishedRun])
    #: The first changes that the stages of learning would make.
    would_learn: list[LearnedChange] = field(default_factory=list[LearnedChange])
    #: The weights of groups that the run changed, also back to the configured ones.
    weights: list[LearnedChange] = field(default_factory=list[LearnedChange])
    groups: list[str] | None = None  #: the groups of the run; None: all

    @property
    def warning(self) -> str | None:
        """The reason why the run could treat nothing, or None."""
        if self.groups != []:
            return None
        return (
            "No group is treated: GRAPH_MEMORY_DECAY_ENABLED_GROUPS names none of those asked for."
        )


def report_of(
    run: Run,
    protected: Protected,
    *,
    resumed: Sequence[Run] = (),
    dry_run: bool = False,
    would_go_first: Sequence[DryRunItem] = (),
    unfinished: Sequence[UnfinishedRun] = (),
    would_learn: Sequence[LearnedChange] = (),
    weights: Sequence[LearnedChange] = (),
) -> MaintenanceReport:
    """Return the report of a run that has ended.

    Args:
        run: The record of the run; of a dry run, with the expected counts.
        protected: The protecting tags, and the memories that do not fade.
        resumed: The earlier runs that it finished first.
        dry_run: Whether the counts are only expected.
        would_go_first: The most faded memories whose state a dry run would change.
        unfinished: The earlier runs that would be finished first.
        would_learn: The first changes that the stages of learning would make.
        weights: The weights that the run changed.
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
        unfinished=list(unfinished),
        would_learn=list(would_learn),
        weights=list(weights),
        groups=run.groups,
    )
