"""The decay of one memory, in numbers and in words. No I/O."""

import json
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field

from graph_memory.domain.briefs import StoredBrief
from graph_memory.domain.models import CentralRelation, LifecycleState
from graph_memory.domain.timestamps import Instant


def _parsed(entries: list[str] | None) -> list[object]:
    return [json.loads(str(entry)) for entry in entries or ()]


@dataclass(frozen=True, slots=True)
class Transition:
    """A past change of state, with the numbers that caused it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    at: Instant
    to: LifecycleState
    reason: str
    because: str | None = None  #: the reason that the caller gave
    from_: Annotated[LifecycleState | None, Field(validation_alias="from")] = None
    policy: str | None = None
    decay_score: float | None = None  #: 0 to 1, before the change
    idle_days: float | None = None
    protection: str | None = None
    run_id: str | None = None  #: the maintenance run that made the change, if one did
    rules: str | None = None  #: hash of the policies and their numbers at that time


@dataclass(frozen=True, slots=True)
class NextChange:
    """A coming change of state, if the memory is not used and every run is on time."""

    state: str
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayStatus:
    """The decay of a memory: its score, the reasons, and the next change of state."""

    memory_id: str
    state: LifecycleState
    decay_score: float  #: 0 fresh to 1 gone
    last_decay_update: Instant | None
    decay_policy: str
    terms: dict[str, float | int | str | None]
    #: The property that counts: last_accessed_at, updated_at or created_at. If a protection ended
    #: later: unprotected_at or preserve_until.
    idle_since: str
    idle_from: Instant
    leaves_after_days: float | None  #: idle days after which the state changes, if also …
    leaves_above_score: float | None  #: … the score is above this
    held_until: Instant | None  #: until then runs leave it alone, because a run was undone
    protection: str | None
    preserve_until: Instant | None
    soft_deleted_at: Instant | None
    obsolete_at: Instant | None
    obsolete_reason: str | None
    superseded_by: str | None  #: id of the memory that replaces it
    next_state: str | None
    next_at: Instant | None  #: the instant at which a run next has work with it
    next_changes: list[NextChange]  #: all coming changes of state, the earliest first
    history: Annotated[list[Transition], BeforeValidator(_parsed)]
    brief: StoredBrief = None  #: the sentences that answered most, if a run has learned them
    centrality: float | None = None  #: 0 to 1; None if no run has measured it
    computed_importance: float | None = None  #: 1 to 10, by centrality and use
    #: The relations that give most of the centrality, at most three.
    central_through: list[CentralRelation] = field(default_factory=list[CentralRelation])

    @property
    def retention(self) -> float:
        """The part that is kept: 1 fresh to 0 gone."""
        return round(1.0 - self.decay_score, 6)

    @property
    def is_obsolete(self) -> bool:
        """True if the memory was marked obsolete."""
        return self.obsolete_at is not None


def describe_protection(status: DecayStatus) -> str:
    """Return the reason that keeps a memory from fading, in words."""
    if status.protection is None:
        return "not kept"
    until = f" {status.preserve_until:%Y-%m-%d %H:%M} UTC" if status.protection == "until" else ""
    return f"kept from fading ({status.protection}{until})"


def describe_status(status: DecayStatus) -> str:
    """Explain in sentences a decay score and the change of state that it leads to."""
    terms = status.terms
    sentences = [
        f"{status.state}, faded {status.decay_score:g} of 1 by policy {status.decay_policy}: "
        f"{terms['amplitude']:.4g} × e^(−{terms['rate_per_day']:.4g} a day × "
        f"{terms['idle_days']:.4g} days since {status.idle_since}) + {terms['offset']:.4g} is kept."
    ]
    if status.protection:
        sentences = [f"{status.state}, {describe_protection(status)}; it does not fade."]
    if status.obsolete_at:
        by = f", superseded by {status.superseded_by}" if status.superseded_by else ""
        sentences.append(
            f"Obsolete since {status.obsolete_at:%Y-%m-%d}{by}: {status.obsolete_reason}."
        )
    if status.held_until is not None:
        sentences.append(
            f"Runs leave it alone until {status.held_until:%Y-%m-%d %H:%M} UTC, after an undo."
        )
    if status.centrality is not None:
        sentences.append(describe_centrality(status))
    if status.brief is not None:
        sentences.append(
            f"Its brief is what {status.brief.answers} used answers asked for most: "
            f"characters {status.brief}."
        )
    if status.next_state is not None:
        sentences.append(
            f"A run from {status.next_at:%Y-%m-%d %H:%M} UTC on makes it "
            f"{status.next_state}{_because(status)}."
        )
    return " ".join([*sentences, describe_next_changes(status)])


def describe_centrality(status: DecayStatus) -> str:
    """Explain in a sentence how central a memory is, and by which relations."""
    through = ", ".join(
        f"{each.from_id} ({each.relation_type}, {each.share:.0%})"
        for each in status.central_through
    )
    most = f", most through {through}" if through else ""
    return (
        f"Central {status.centrality:g} of 1 among the relations of its group{most}; with its use "
        f"that computes an importance of {status.computed_importance:.3g}."
    )


def describe_next_changes(status: DecayStatus) -> str:
    """Return the coming changes of state with their dates, in a sentence."""
    if not status.next_changes:
        return "No run will change its state, as things are."
    dates = ", ".join(f"{change.state} {change.at:%Y-%m-%d}" for change in status.next_changes)
    return f"If it is not used: {dates}."


def _because(status: DecayStatus) -> str:
    reasons: list[str] = []
    if status.leaves_after_days is not None:
        reasons.append(f"idle for more than {status.leaves_after_days:g} days")
    if status.leaves_above_score is not None:
        reasons.append(f"faded above {status.leaves_above_score:g}")
    return f", then {' and '.join(reasons)}" if reasons and not status.protection else ""
