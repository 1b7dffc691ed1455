"""Learned weights of the ranking of a group, from feedback and from use after delivery.

The weights follow from the stored lessons and the configured weights alone. So a second run changes
nothing. If the replay of held back lessons expects no gain, or searches with learned weights were
worse, the group has the configured weights again.
"""

import asyncio
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.scope import CallScope
from graph_memory.ranking.weights import MOST_LESSONS, LearnedWeights, learn, weight_settings
from graph_memory.search.feedback import (
    GroupWeights,
    as_text,
    read_lessons,
    read_weights,
    weights_of,
)
from graph_memory.settings.base import Settings

#: Lessons that a group keeps when their session is gone.
_KEPT = 2 * MOST_LESSONS


@dataclass(frozen=True, slots=True)
class WeightsChange:
    """The learned weights of a group before and after; None stands for the configured ones."""

    group_id: str
    was: GroupWeights | None
    becomes: GroupWeights | None
    reason: str
    lessons: int = 0


@dataclass(frozen=True, slots=True)
class _Stored:
    group_id: str
    before: str
    after: str
    reason: str


async def compute(
    graph: Graph, settings: Settings, scope: CallScope, canary: int = 100
) -> WeightsChange:
    """Compute the weights of a group; the change may be none.

    Args:
        graph: The database.
        settings: The configured weights.
        scope: The tenant.
        canary: Share of the searches that are to use the weights, 0 to 100 percent.
    """
    stored = await read_lessons(graph, scope.group_id)
    lessons = [lesson for each in stored if (lesson := each.lesson())]
    learned = await asyncio.to_thread(learn, lessons, settings)
    was = weights_of(await read_weights(graph, scope.group_id))
    becomes = _of_group(learned, settings, canary)
    return WeightsChange(scope.group_id, was, becomes, learned.reason, learned.lessons)


async def store(graph: Graph, scope: CallScope, change: WeightsChange, run_id: str) -> None:
    """Store changed weights, with a record for undo."""
    await graph.run(
        "learning/weights/store",
        learned=None if change.becomes is None else as_text(change.becomes),
        reason=change.reason,
        run_id=run_id,
        **scope.parameters(),
    )


async def changed_by(graph: Graph, run_id: str) -> list[WeightsChange]:
    """Return the weights that a run changed."""
    rows = await graph.rows("learning/weights/changed_by", _Stored, run_id=run_id)
    return [
        WeightsChange(each.group_id, weights_of(each.before), weights_of(each.after), each.reason)
        for each in rows
    ]


async def forget_lessons(graph: Graph, *, group_id: str) -> None:
    """Delete the oldest lessons of a group beyond the number that it keeps."""
    await graph.run("learning/weights/forget_lessons", group_id=group_id, most=_KEPT)


def _of_group(learned: LearnedWeights, settings: Settings, canary: int) -> GroupWeights | None:
    """Return learned weights as they are stored; None if there are none, or if the canary is 0."""
    if not learned.settings or learned.gain is None or not canary:
        return None
    configured = weight_settings(settings)
    gain = learned.gain
    return GroupWeights(
        settings=dict(learned.settings),
        before={name: configured[name] for name in learned.settings},
        canary=canary,
        gain=(gain.mean, gain.low, gain.high),
        lessons=learned.lessons,
        reason=learned.reason,
    )
