"""The settings of decay and of the runs that apply it, with unit, range and default."""

import json
import math
import re
from typing import Annotated, Any, Self, cast

from pydantic import DirectoryPath, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode

from graph_memory.domain.models import MemoryType

#: A century: more would lead out of the calendar.
CENTURY = 36_500.0
Days = Annotated[float, Field(ge=0.001, le=CENTURY)]
#: A span that may be none at all.
Span = Annotated[float, Field(ge=0, le=CENTURY)]
Fraction = Annotated[float, Field(ge=0, le=1)]
#: A half-life that may be without end.
HalfLife = Annotated[float, Field(ge=0.001, allow_inf_nan=True)]


class DecaySettings(BaseSettings):
    """How memories fade; a base of `Settings`."""

    # Protection from fading
    protected_tags: Annotated[tuple[str, ...], NoDecode] = Field(
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
        description="Tags, in any case, whose memories do not fade.",
    )
    permanent_importance: float = Field(8.0, ge=1, le=10)
    permanent_stability: int = Field(4, ge=1, le=5)

    # Decay policies
    decay_policy: str = Field(
        "half_life",
        description="half_life, adaptive, typed_importance, none, or a file of policy_dir.",
    )
    group_decay_policies: dict[str, str] = Field(
        {}, description="Another policy for the groups named."
    )
    policy_dir: DirectoryPath | None = Field(None, description="A folder of policies of your own.")
    half_life_base_days: Days = Field(30.0, description="Half-life at stability 3.")
    half_life_curve: str = Field("scaled", pattern="^(scaled|table)$")
    half_life_table_days: Annotated[
        tuple[HalfLife, HalfLife, HalfLife, HalfLife, HalfLife], NoDecode
    ] = Field((7.0, 14.0, 30.0, 90.0, math.inf), description="Curve table: by stability 1 to 5.")
    adaptive_base_decay_rate: float = Field(0.01, ge=0, allow_inf_nan=False, description="A day.")
    adaptive_access_boost: float = Field(0.1, ge=0, le=10)
    adaptive_degree_boost: float = Field(
        0.0,
        ge=0,
        le=10,
        description="Per ln(1 + relations). That some ended shows when the memory is next due, "
        "used or changed, or by `maintain --full`.",
    )
    adaptive_active_threshold: Fraction = Field(0.5, description="On retention, as the next two.")
    adaptive_archival_threshold: Fraction = 0.1
    adaptive_expiration_threshold: Fraction = 0.01
    typed_half_life_days: dict[MemoryType, HalfLife] = Field(
        {
            MemoryType.CONVERSATION: 45.0,
            MemoryType.TASK: 30.0,
            MemoryType.EPHEMERAL: 10.0,
            MemoryType.PREFERENCE: 90.0,
            MemoryType.FACT: 120.0,
            MemoryType.GENERAL: 60.0,
        },
        description="By memory type; other types fade like general.",
    )
    typed_floors: dict[MemoryType, Annotated[float, Field(ge=1, le=10)]] = Field(
        {
            MemoryType.CONVERSATION: 2.0,
            MemoryType.FACT: 3.0,
            MemoryType.PREFERENCE: 2.0,
            MemoryType.TASK: 1.0,
            MemoryType.EPHEMERAL: 1.0,
            MemoryType.GENERAL: 1.0,
        },
        description="Importance that fading leaves at least.",
    )
    typed_expires: bool = Field(False, description="Whether typed_importance goes past ARCHIVED.")
    typed_write_back: float = Field(0.5, ge=0, le=9, description="Smallest loss that is stored.")
    reinforce_step: float = Field(0.1, gt=0, le=9, description="Importance gained by an access.")
    reinforce_write_back: float = Field(0.5, gt=0, le=9, description="Smallest gain stored.")
    importance_max: float = Field(10.0, ge=1, le=10, description="Where gaining ends.")

    # Lifecycle
    dormant_days: Days = Field(30.0, description="Idle longer, and faded further than the score.")
    dormant_score: Fraction = 0.3
    archived_days: Days = 90.0
    archived_score: Fraction = 0.6
    expired_days: Days = 180.0
    expired_score: Fraction = 0.9
    expired_below_importance: float = Field(6.0, ge=1, le=10.1)
    soft_delete_retention_days: Span = Field(
        90.0, description="How long a deletion can be taken back."
    )
    obsolete_retention_days: Span | None = Field(
        None, description="Obsolete memories are kept unless set."
    )
    state_history_length: int = Field(20, ge=1, le=1000, description="State changes remembered.")

    # Confidence
    confidence_min_age_days: Span = 90.0
    confidence_obsolete_age_days: Span = 180.0
    confidence_floor: Fraction = 0.3
    confidence_delta_max: Fraction = 0.1
    confidence_delta_min: Fraction = 0.02
    confidence_access_cap: int = Field(8, ge=0)
    confidence_step_per_access: Fraction = 0.01
    confidence_protected_importance: float = Field(8.0, ge=1, le=10.1)
    confidence_scan_in_maintenance: bool = Field(
        False,
        description="Whether runs lower confidence, too; forecasts and `memory_decay_status` do "
        "not foresee what that expires.",
    )
    confidence_min_step_interval_days: Span = Field(
        30.0, description="Between two steps made by runs."
    )

    # Maintenance
    decay_enabled: bool = Field(True, description="Whether runs let memories fade at all.")
    decay_enabled_groups: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="The only groups that runs touch; all if empty."
    )
    decay_canary_percent: int = Field(
        100, ge=0, le=100, description="Share of the memories that runs touch, always the same."
    )
    maintenance_batch_size: int = Field(
        500, ge=1, le=100_000, description="Memories changed in one transaction."
    )
    maintenance_concurrency: int = Field(
        1, ge=1, le=32, description="Transactions at a time; more pays where cores are idle."
    )
    maintenance_max_seconds: float = Field(600.0, gt=0, le=86_400, description="Time for a run.")
    maintenance_lease_seconds: float = Field(
        60.0, ge=1, le=3600, description="After this a run that has fallen silent is over."
    )
    undo_retention_days: Span = Field(30.0, description="How long a run can be undone.")

    @field_validator("protected_tags", "decay_enabled_groups", mode="before")
    @classmethod
    def _split_tags(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(word for word in re.split(r"[,\s]+", value) if word)
        return value

    @field_validator("half_life_table_days", mode="before")
    @classmethod
    def _split_days(cls, value: object) -> object:
        if isinstance(value, str) and not value.lstrip().startswith(("[", "{")):
            return tuple(float(word) for word in re.split(r"[,\s]+", value.strip()))
        given: Any = json.loads(value) if isinstance(value, str) else value
        if not isinstance(given, dict):
            return given
        by_stability = cast("dict[Any, Any]", given)
        return tuple(by_stability[key] for key in sorted(by_stability, key=str))

    @field_validator("typed_half_life_days", "typed_floors", mode="after")
    @classmethod
    def _keep_the_others(cls, value: dict[MemoryType, float], info: ValidationInfo) -> object:
        """Let a table name only the types it changes."""
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
                    "{given}: none may be greater than the one after it",
                    {
                        "given": ", ".join(f"GRAPH_MEMORY_{n.upper()}={v:g}" for n, v in given),
                        "names": names,
                        "rule": f"of {', '.join(names)} none may be greater than the one after it",
                    },
                )
        return self
