"""The settings of decay, the lifecycle, confidence and maintenance runs."""

import math
from typing import Annotated, Any, Self, cast

from pydantic import DirectoryPath, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode

from graph_memory.domain.models import MemoryType
from graph_memory.settings.types import (
    Days,
    Fraction,
    FromTableText,
    Groups,
    HalfLife,
    Span,
    Words,
    parse_list,
    parse_table,
)

#: Importance that a memory can have.
Importance = Annotated[float, Field(ge=1, le=10)]


class DecaySettings(BaseSettings):
    """Decay policies, the lifecycle, confidence, and the runs that apply them."""

    # Protection from fading
    protected_tags: Words = Field(
        (
            "permanent",
            "important",
            "bookmark",
            "favorite",
            "pinned",
            "preserved",
            "decision",
            "architecture",
            "critical",
            "core",
            "identity",
        ),
        description="Tags whose memories do not fade; the case does not matter.",
    )
    permanent_importance: float = Field(
        8.0,
        ge=1,
        le=10,
        description=(
            "Importance from which a memory does not fade, together with `permanent_stability`."
        ),
    )
    permanent_stability: int = Field(
        4,
        ge=1,
        le=5,
        description=(
            "Stability from which a memory does not fade, together with `permanent_importance`."
        ),
    )

    # Decay policies
    decay_policy: str = Field(
        "half_life",
        description=(
            "Policy by which memories fade: half_life, adaptive, typed_importance, "
            "none, or a file of `policy_dir`."
        ),
    )
    group_decay_policies: Annotated[dict[str, str], NoDecode, FromTableText] = Field(
        {}, description="Policies of single groups, as a table from group to policy."
    )
    policy_dir: DirectoryPath | None = Field(None, description="Folder of policies of your own.")
    half_life_base_days: Days = Field(
        30.0, description="Half-life at stability 3 and low importance, days."
    )
    half_life_curve: str = Field(
        "scaled",
        pattern="^(scaled|table)$",
        description=(
            "Half-lives of the policy half_life: scaled by stability and importance, "
            "or from the table."
        ),
    )
    half_life_table_days: Annotated[
        tuple[HalfLife, HalfLife, HalfLife, HalfLife, HalfLife], NoDecode
    ] = Field(
        (7.0, 14.0, 30.0, 90.0, math.inf),
        description="Half-lives by stability 1 to 5, days, for the curve table.",
    )
    adaptive_base_decay_rate: float = Field(
        0.01, ge=0, allow_inf_nan=False, description="Rate of the policy adaptive, per day."
    )
    adaptive_access_boost: float = Field(
        0.1, ge=0, le=10, description="Gain per ln(1 + accesses) in the policy adaptive."
    )
    adaptive_degree_boost: float = Field(
        0.0,
        ge=0,
        le=10,
        description=(
            "Gain per ln(1 + relations) in the policy adaptive. The end of a relation "
            "counts when the memory is next due, used or changed, or with `maintain "
            "--full`."
        ),
    )
    adaptive_active_threshold: Fraction = Field(
        0.5, description="Retention below which the policy adaptive makes a memory DORMANT."
    )
    adaptive_archival_threshold: Fraction = Field(
        0.1, description="Retention below which it makes a memory ARCHIVED."
    )
    adaptive_expiration_threshold: Fraction = Field(
        0.01, description="Retention below which it makes a memory EXPIRED."
    )
    typed_half_life_days: Annotated[dict[MemoryType, HalfLife], NoDecode, FromTableText] = Field(
        {
            MemoryType.CONVERSATION: 45.0,
            MemoryType.TASK: 30.0,
            MemoryType.EPHEMERAL: 10.0,
            MemoryType.PREFERENCE: 90.0,
            MemoryType.FACT: 120.0,
            MemoryType.GENERAL: 60.0,
        },
        description="Half-lives by type of memory, days; other types fade like general.",
    )
    typed_floors: Annotated[dict[MemoryType, Importance], NoDecode, FromTableText] = Field(
        {
            MemoryType.CONVERSATION: 2.0,
            MemoryType.FACT: 3.0,
            MemoryType.PREFERENCE: 2.0,
            MemoryType.TASK: 1.0,
            MemoryType.EPHEMERAL: 1.0,
            MemoryType.GENERAL: 1.0,
        },
        description="Importance that fading leaves, by type of memory.",
    )
    typed_expires: bool = Field(
        False, description="Let the policy typed_importance go beyond ARCHIVED."
    )
    typed_write_back: float = Field(
        0.5, ge=0, le=9, description="Smallest loss of importance that is stored."
    )
    reinforce_step: float = Field(
        0.1,
        gt=0,
        le=9,
        description="Gain of importance by one access, in the policy typed_importance.",
    )
    reinforce_write_back: float = Field(
        0.5, gt=0, le=9, description="Smallest gain of importance that is stored."
    )
    importance_max: float = Field(
        10.0, ge=1, le=10, description="Importance at which the gain ends."
    )

    # Lifecycle
    dormant_days: Days = Field(
        30.0, description="Idle time after which an ACTIVE memory becomes DORMANT, days."
    )
    dormant_score: Fraction = Field(
        0.3, description="Score above which an ACTIVE memory becomes DORMANT."
    )
    archived_days: Days = Field(
        90.0, description="Idle time after which a DORMANT memory becomes ARCHIVED, days."
    )
    archived_score: Fraction = Field(
        0.6, description="Score above which a DORMANT memory becomes ARCHIVED."
    )
    expired_days: Days = Field(
        180.0, description="Idle time after which an ARCHIVED memory becomes EXPIRED, days."
    )
    expired_score: Fraction = Field(
        0.9, description="Score above which an ARCHIVED memory becomes EXPIRED."
    )
    expired_below_importance: float = Field(
        6.0, ge=1, le=10.1, description="Importance below which a memory may expire."
    )
    soft_delete_retention_days: Span = Field(
        90.0, description="Time for which a deletion can be taken back, days."
    )
    obsolete_retention_days: Span | None = Field(
        None,
        description="Time for which an obsolete memory is kept, days. By default without an end.",
    )
    state_history_length: int = Field(
        20,
        ge=1,
        le=1000,
        description="Changes of state and changes by callers that a memory remembers.",
    )

    # Confidence
    confidence_min_age_days: Span = Field(
        90.0, description="Idle time after which a scan lowers the confidence, days."
    )
    confidence_obsolete_age_days: Span = Field(
        180.0, description="Idle time after which a memory at the floor becomes obsolete, days."
    )
    confidence_floor: Fraction = Field(0.3, description="Confidence at which lowering ends.")
    confidence_delta_max: Fraction = Field(
        0.1, description="Step of a scan for a memory that was never used."
    )
    confidence_delta_min: Fraction = Field(0.02, description="Smallest step of a scan.")
    confidence_access_cap: int = Field(
        8, ge=0, description="Accesses that make the step smaller, at most."
    )
    confidence_step_per_access: Fraction = Field(
        0.01, description="Amount by which one access makes the step smaller."
    )
    confidence_protected_importance: float = Field(
        8.0, ge=1, le=10.1, description="Importance from which a scan leaves a memory alone."
    )
    confidence_scan_in_maintenance: bool = Field(
        False,
        description=(
            "Let maintenance runs lower confidence. Forecasts and "
            "`memory_decay_status` do not foresee what this expires."
        ),
    )
    confidence_min_step_interval_days: Span = Field(
        30.0, description="Time between two steps by maintenance runs, days."
    )

    # Maintenance
    decay_enabled: bool = Field(True, description="Let maintenance runs change scores and states.")
    decay_enabled_groups: Groups = Field(
        (), description="Groups that maintenance runs change; empty means all."
    )
    decay_canary_percent: int = Field(
        100,
        ge=0,
        le=100,
        description=(
            "Share of the memories that maintenance runs change, percent; always the same ones."
        ),
    )
    maintenance_batch_size: int = Field(
        500, ge=1, le=100_000, description="Memories changed in one transaction."
    )
    maintenance_concurrency: int = Field(
        1, ge=1, le=32, description="Transactions at once; more helps where processors are idle."
    )
    maintenance_max_seconds: float = Field(
        600.0, gt=0, le=86_400, description="Time for one run, seconds."
    )
    maintenance_lease_seconds: float = Field(
        60.0,
        ge=1,
        le=3600,
        description="Time without a heartbeat after which a run is taken over, seconds.",
    )
    undo_retention_days: Span = Field(30.0, description="Time for which a run can be undone, days.")
    undo_hold_days: Span = Field(
        7.0, description="Time for which runs leave alone what an undo restored, days."
    )

    @field_validator("half_life_table_days", mode="before")
    @classmethod
    def _split_days(cls, value: object) -> object:
        is_table = isinstance(value, str) and ("{" in value or "=" in value)
        given = parse_table(value) if is_table else parse_list(value)
        if not isinstance(given, dict):
            return given
        by_stability = cast("dict[Any, Any]", given)
        return tuple(by_stability[key] for key in sorted(by_stability, key=str))

    @field_validator("typed_half_life_days", "typed_floors", mode="after")
    @classmethod
    def _keep_the_others(cls, value: dict[MemoryType, float], info: ValidationInfo) -> object:
        """Add the defaults of the types that a table does not name."""
        default = cls.model_fields[info.field_name or ""].default
        return {**default, **value}

    @model_validator(mode="after")
    def _thresholds_in_order(self) -> Self:
        for names in (
            ("dormant_days", "archived_days", "expired_days"),
            ("dormant_score", "archived_score", "expired_score"),
            (
                "adaptive_expiration_threshold",
                "adaptive_archival_threshold",
                "adaptive_active_threshold",
            ),
            ("confidence_min_age_days", "confidence_obsolete_age_days"),
            ("confidence_delta_min", "confidence_delta_max"),
        ):
            values = [getattr(self, name) for name in names]
            if values != sorted(values):
                given = zip(names, values, strict=True)
                raise PydanticCustomError(
                    "order",
                    "{given}: each must be at most the next one",
                    {
                        "given": ", ".join(f"GRAPH_MEMORY_{n.upper()}={v:g}" for n, v in given),
                        "names": names,
                        "rule": f"each of {', '.join(names)} must be at most the next one",
                    },
                )
        return self
