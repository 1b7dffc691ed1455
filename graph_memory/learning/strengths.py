"""Learned strengths of relations: what is used together is related more strongly.

A use of a relation is a session that used both of its memories after it had received them. A
delivery alone does not count. The strength follows from the given strength, the number of uses, the
last use and the instant alone. So a second run changes nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.settings.base import Settings

#: The share of the distance to 1 that one use takes.
GAIN = 0.2

#: The share of the given strength that a relation loses at most after long disuse.
DISUSE = 0.25

#: Decimals that are stored. With few of them, most runs write little.
_DECIMALS = 2

#: Relations in one transaction.
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class Learned:
    """A learned strength, and what it was learned from."""

    strength: float  #: 0 to 1
    uses: int
    last_used_at: str  #: ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class StrengthChange:
    """A learned strength that changes; None is none."""

    relation_id: str
    from_id: str
    to_id: str
    name: str  #: type of the relation
    given: float  #: 0 to 1
    was: Learned | None
    becomes: Learned | None


@dataclass(frozen=True, slots=True)
class _Used:
    """A relation that was used or learned, as the database returns it."""

    relation_id: str
    from_id: str
    to_id: str
    name: str
    given: float
    uses: int
    last_used_at: str | None
    strength: float | None
    use_count: int | None
    used_at: str | None

    @property
    def stored(self) -> Learned | None:
        """The strength that was learned before."""
        if self.strength is None or self.use_count is None or self.used_at is None:
            return None
        return Learned(self.strength, self.use_count, self.used_at)


def learned_strength(given: float, uses: int, unused: timedelta, half_life_days: float) -> float:
    """Return the strength of a relation that was used, 0 to 1, to two decimals.

    Each use takes a share of the distance to 1. Without uses, the strength falls with a half-life
    towards a little less than the given strength.

    Args:
        given: Strength that a caller gave, 0 to 1.
        uses: Number of uses, at least 1.
        unused: Time since the last use.
        half_life_days: Days in which half of the learned difference is lost.

    Source: Bush and Mosteller, A Mathematical Model for Simple Learning, 1951, for the gain;
    Settles and Meeder, A Trainable Spaced Repetition Model for Language Learning, 2016, for the
    half-life.
    """
    raised = given + (1 - given) * (1 - (1 - GAIN) ** uses)
    rest = given * (1 - DISUSE)
    fresh = 0.5 ** (max(0.0, unused / timedelta(days=1)) / half_life_days)
    return round(rest + (raised - rest) * fresh, _DECIMALS)


async def compute(
    graph: Graph, settings: Settings, scope: CallScope, canary: int = 100
) -> list[StrengthChange]:
    """Compute the strengths of the relations of a group that were used, and return the changes.

    Args:
        graph: The database.
        settings: Types of relations that learn, and the half-life.
        scope: The tenant, and the instant at which relations hold.
        canary: Share of the memories whose relations may change, 0 to 100 percent.
    """
    changes: list[StrengthChange] = []
    stream = graph.stream("learning/strengths/relations", canary=canary, **scope.parameters())
    async for block in stream:
        changes += _changes((_Used(*row) for row in block), settings, scope.now)
    return sorted(changes, key=lambda change: change.relation_id)


async def store(
    graph: Graph, scope: CallScope, changes: Iterable[StrengthChange], run_id: str
) -> None:
    """Store changed strengths, with a record for undo."""
    for batch in batched(changes, _BATCH):
        await graph.run(
            "learning/strengths/store",
            relations=[
                {
                    "relation_id": each.relation_id,
                    "from_id": each.from_id,
                    "to_id": each.to_id,
                    "strength": each.becomes and each.becomes.strength,
                    "uses": each.becomes and each.becomes.uses,
                    "last_used_at": each.becomes and each.becomes.last_used_at,
                }
                for each in batch
            ],
            run_id=run_id,
            **scope.parameters(),
        )


def _changes(used: Iterable[_Used], settings: Settings, now: datetime) -> list[StrengthChange]:
    found: list[StrengthChange] = []
    for each in used:
        becomes = _learned(each, settings, now)
        if becomes != each.stored or (becomes is None and each.strength is not None):
            ends = (each.relation_id, each.from_id, each.to_id, each.name, each.given)
            found.append(StrengthChange(*ends, each.stored, becomes))
    return found


def _learned(used: _Used, settings: Settings, now: datetime) -> Learned | None:
    """Return what is learned about a relation; None for a type that does not learn, or no use."""
    last_used = _moment(used.last_used_at)
    if used.name not in settings.strength_relation_types or used.uses < 1 or last_used is None:
        return None
    strength = learned_strength(
        min(max(used.given, 0.0), 1.0),
        used.uses,
        now - last_used,
        settings.strength_half_life_days,
    )
    return Learned(strength, used.uses, instant(last_used))


def _moment(text: str | None) -> datetime | None:
    """Return a stored instant; None for a text that another client has damaged."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
