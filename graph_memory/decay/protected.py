"""The memories that do not fade: which rules protect them, and how many they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.timestamps import instant
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class _Counts:
    by_tag: int
    by_importance: int
    until_date: int
    ended: int


@dataclass(frozen=True, slots=True)
class Protected:
    """The protecting tags, and the numbers of memories that do not fade, by the reason."""

    tags: list[str]  #: the tags that protect, in lower case
    by_tag: int
    by_importance: int  #: by their importance and stability
    until_date: int  #: by `memory_preserve` with a date
    ended: int  #: protected until now; they fade from the next run on

    def describe(self) -> str:
        """Return the tags and the numbers in a sentence."""
        ended = f"; {self.ended} more lose their protection with the next run" if self.ended else ""
        return (
            f"{self.by_tag} memories by a tag ({', '.join(self.tags)}), {self.by_importance} by "
            f"importance and stability, {self.until_date} until a date{ended}"
        )


async def count_protected(
    graph: Graph,
    settings: Settings,
    now: datetime,
    groups: Sequence[str] | None = None,
    *,
    noted: bool = False,
) -> Protected:
    """Count the memories that do not fade.

    Args:
        graph: The database.
        settings: The protecting tags, importance and stability.
        now: The instant at which a protection until a date may be over.
        groups: The tenants; None for all.
        noted: Count only memories that were noted as protected, by an index. After a run these are
            all.
    """
    rules = policies.parameters(settings)
    counts = await graph.one(
        "decay/protected/noted" if noted else "decay/protected/all",
        _Counts,
        groups=None if groups is None else list(groups),
        now=instant(now),
        decay=rules,
    ) or _Counts(0, 0, 0, 0)
    tags = list(dict.fromkeys(rules["protected_tags"]))
    return Protected(tags, counts.by_tag, counts.by_importance, counts.until_date, counts.ended)
