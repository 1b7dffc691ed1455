"""The request of a maintenance run, as a caller gives it, and the options that follow from it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field

from graph_memory.domain.inputs import GroupId
from graph_memory.settings.base import Settings

#: Called with the memories done since the last call, and with the number of all if it is known.
Progress = Callable[[int, int | None], None]


class Stage(StrEnum):
    """A stage of a run; runs take the stages in this order."""

    PROTECTION = "protection"
    DECAY = "decay"
    COMPRESS = "compress"
    CONFIDENCE = "confidence"
    CLASSIFICATION = "classification"
    EMBEDDINGS = "embeddings"
    ENTITIES = "entities"
    SLOTS = "slots"
    PROPOSALS = "proposals"
    STRENGTHS = "strengths"
    CENTRALITY = "centrality"
    CLUSTERS = "clusters"
    WEIGHTS = "weights"
    BRIEFS = "briefs"
    PURGE = "purge"
    SESSIONS = "sessions"
    RECORDS = "records"


#: The stages that a run leaves out if `decay_enabled` is off.
_DECAY_STAGES = (Stage.PROTECTION, Stage.DECAY, Stage.CONFIDENCE, Stage.PURGE)

#: The stages that a run leaves out unless the setting `learn` or the request names them.
_LEARNING_STAGES = (
    Stage.ENTITIES,
    Stage.PROPOSALS,
    Stage.STRENGTHS,
    Stage.CENTRALITY,
    Stage.CLUSTERS,
    Stage.WEIGHTS,
    Stage.BRIEFS,
)

StageName = Annotated[
    Stage, BeforeValidator(lambda v: v.strip().lower() if isinstance(v, str) else v)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """The options of a run; None means the setting."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)

    groups: Annotated[tuple[GroupId, ...], Field(min_length=1)] | None = (
        None  #: None: all groups that the settings enable
    )
    stages: Annotated[tuple[StageName, ...], Field(min_length=1)] | None = None
    full: bool = False  #: treat every memory, not only the due ones
    batch_size: Annotated[int, Field(ge=1, le=100_000)] | None = None
    concurrency: Annotated[int, Field(ge=1, le=32)] | None = None
    max_seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    canary_percent: Annotated[int, Field(ge=0, le=100)] | None = None

    def stages_to_run(self, settings: Settings) -> list[str]:
        """Return the stages to run, in their order."""
        usual = (each for each in Stage if each not in _LEARNING_STAGES or each in settings.learn)
        wanted = self.stages or tuple(usual)
        return [
            stage
            for stage in Stage
            if stage in wanted and (settings.decay_enabled or stage not in _DECAY_STAGES)
        ]

    def groups_to_treat(self, settings: Settings) -> list[str] | None:
        """Return the groups to treat; None for all."""
        enabled = settings.decay_enabled_groups
        if self.groups is None:
            return list(enabled) or None
        return [group for group in self.groups if not enabled or group in enabled]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The sizes and the time limit of a run."""

    batch_size: int  #: memories in one transaction
    concurrency: int  #: transactions at a time
    deadline: float  #: of `time.monotonic`
    on_progress: Progress


def run_options(settings: Settings, request: RunRequest, on_progress: Progress) -> RunOptions:
    """Return the options of a run that starts now."""
    seconds = request.max_seconds or settings.maintenance_max_seconds
    return RunOptions(
        batch_size=request.batch_size or settings.maintenance_batch_size,
        concurrency=request.concurrency or settings.maintenance_concurrency,
        deadline=time.monotonic() + seconds,
        on_progress=on_progress,
    )
