"""The settings of a group, in one node; a group without the node has none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_memory.database.graph import Graph
from graph_memory.domain.timestamps import Instant, instant


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """The settings of a group.

    Attributes:
        group_id: The tenant.
        single_valued_slots: Names of the slots that have one value at a time, in their order.
        updated_at: Time of the last change; None without one.
    """

    group_id: str
    single_valued_slots: list[str] = field(default_factory=list[str])
    updated_at: Instant | None = None


async def read(graph: Graph, group_id: str) -> GroupSettings:
    """Return the settings of a group."""
    found = await graph.one("memories/group_settings/read", GroupSettings, group_id=group_id)
    return found or GroupSettings(group_id)


async def with_slots(graph: Graph, groups: Sequence[str] | None) -> list[GroupSettings]:
    """Return the settings of the groups that have single-valued slots, by group.

    Args:
        graph: The database.
        groups: The groups to look at; None for all.
    """
    wanted = None if groups is None else list(groups)
    return await graph.rows("memories/group_settings/with_slots", GroupSettings, groups=wanted)


async def write(graph: Graph, group_id: str, slots: Sequence[str], now: datetime) -> None:
    """Store the names of the single-valued slots of a group; without any, remove the node."""
    await graph.run(
        "memories/group_settings/write",
        group_id=group_id,
        single_valued_slots=sorted(set(slots)),
        now=instant(now),
    )
