"""Tombstones in a restore: those of the database stay, and apply to what is restored."""

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.inputs import NewMemory
from graph_memory.domain.origin import INTERNAL, Authority
from graph_memory.domain.scope import CallScope
from graph_memory.memories import pending, tombstones
from graph_memory.memories.tombstones import Cause
from graph_memory.memories.update import erase
from graph_memory.settings.base import Settings

_BATCH = 500

#: The origin of what waits; the authority is that of each memory.
_ORIGIN = replace(INTERNAL, way_in="graph-memory restore")


@dataclass(frozen=True, slots=True)
class Applied:
    """The restored memories that tombstones delete, erase, and let wait; and the facts removed."""

    rejected: int = 0
    erased: int = 0
    waiting: int = 0
    facts: int = 0

    def __add__(self, other: "Applied") -> "Applied":
        return Applied(
            self.rejected + other.rejected,
            self.erased + other.erased,
            self.waiting + other.waiting,
            self.facts + other.facts,
        )


@dataclass(frozen=True, slots=True)
class _Restored:
    memory_id: str
    content: StoredContent
    authority: Authority | None
    facts: list[str]


@dataclass(frozen=True, slots=True)
class _News:
    """The tombstones of a group that a backup does not know, or knows otherwise."""

    group_id: str
    tombstone_ids: list[str]


async def set_aside(graph: Graph) -> None:
    """Set the tombstones aside, so that the restore does not erase them.

    A restore that was interrupted has set them aside already, and may have loaded others.
    """
    await graph.run("backup/tombstones/drop_loaded")
    await graph.run("backup/tombstones/set_aside")


async def bring_back(graph: Graph, settings: Settings) -> Applied:
    """Bring the tombstones back beside those of the backup, and apply them to its memories.

    Those that the backup holds as well apply to nothing: its memories stood beside them. By the
    others, a rejected memory is soft-deleted, and an erased one is erased again. One that states a
    rejected value in other words is soft-deleted, too, and its content waits for a review. A
    relation loses a fact that was rejected or erased, and keeps its name. The keys of the hashes
    stay side by side if the backup is of another database.
    """
    await graph.run("backup/tombstones/keys", fresh=str(uuid.uuid4()))
    total = Applied()
    for news in await graph.rows("backup/tombstones/bring_back", _News):
        total += await _apply_news(graph, settings, news)
    return total


async def _apply_news(graph: Graph, settings: Settings, news: _News) -> Applied:
    """Apply tombstones to all memories of their group."""
    scope = CallScope(news.group_id, datetime.now(UTC), _ORIGIN)
    only, total, after_id = frozenset(news.tombstone_ids), Applied(), ""
    while page := await graph.rows(
        "backup/tombstones/memories",
        _Restored,
        group_id=news.group_id,
        after_id=after_id,
        limit=_BATCH,
    ):
        total += await _apply(graph, settings, scope, page, only)
        after_id = page[-1].memory_id
    return total


async def _apply(
    graph: Graph,
    settings: Settings,
    scope: CallScope,
    page: list[_Restored],
    only: frozenset[str],
) -> Applied:
    contents = [each.content for each in page]
    judged = await tombstones.judge_each(graph, settings, scope.group_id, contents, only=only)
    ids: dict[str, list[str]] = {cause: [] for cause in Cause}
    rules: dict[str, tuple[_Restored, str]] = {}
    for each, judgement in zip(page, judged, strict=True):
        if judgement.error:
            ids[judgement.error.reason].append(each.memory_id)
        elif judgement.rule:
            rules[each.memory_id] = each, judgement.rule
    gone = await tombstones.delete_rejected(graph, settings, scope, ids[Cause.REJECTED])
    erased = await erase(graph, scope.group_id, ids[Cause.ERASED]) if ids[Cause.ERASED] else []
    # A memory that was deleted in the backup does not wait.
    held = await tombstones.delete_rejected(graph, settings, scope, list(rules))
    await pending.hold(graph, scope, [_held(*rules[each]) for each in held])
    cleared = await _clear_facts(graph, settings, scope.group_id, page, only)
    return Applied(len(gone), len(erased), len(held), cleared)


async def _clear_facts(
    graph: Graph, settings: Settings, group_id: str, page: list[_Restored], only: frozenset[str]
) -> int:
    """Let relations lose the facts that tombstones refuse; return their number."""
    facts = sorted({fact for each in page for fact in each.facts})
    judged = await tombstones.judge_each(graph, settings, group_id, facts, only=only)
    refused = {fact for fact, each in zip(facts, judged, strict=True) if each.objection}
    ids = [each.memory_id for each in page if not refused.isdisjoint(each.facts)]
    if not ids:
        return 0
    cleared = await graph.one(
        "backup/tombstones/clear_facts",
        int,
        group_id=group_id,
        memory_ids=ids,
        facts=sorted(refused),
    )
    return cleared or 0


def _held(memory: _Restored, rule: str) -> pending.Held:
    arguments = NewMemory(content=memory.content)
    return pending.Held("add", memory.content, arguments, memory.authority, rule)
