"""Verification of memories and relations beyond the constraints of the database.

The memories of a group are read in pages: the time of a statement depends on the length of a page,
not on that of the group. One statement finds the nodes without a memory in all groups, because it
reads no properties of a node that has one.
"""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from graph_memory.database import indexes
from graph_memory.database.graph import Graph
from graph_memory.database.statements import policies
from graph_memory.diagnostics.groups import counts, has_unended_move
from graph_memory.diagnostics.mistyped import KINDS
from graph_memory.domain.encoding import group_key
from graph_memory.domain.models import LifecycleState, MemoryType, RelationType, Source
from graph_memory.memories.embeddings import groups
from graph_memory.settings.base import Settings

#: Called with the number of memories that were checked since the last call.
OnChecked = Callable[[int], None]

#: Ids in a row of the stream. A block of its rows is a page, so a page has 5000 memories.
_IDS = 10


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of fault, the number of its cases, and the id of one case."""

    problem: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class _Orphans(Problem):
    group_id: str


async def verify_all(
    graph: Graph,
    settings: Settings,
    group_id: str | None = None,
    on_checked: OnChecked = lambda done: None,
) -> dict[str, list[Problem]]:
    """Check every server of the placement file, or the one of a group.

    A group with memories on another server than its own is a problem. Arguments as in `verify`.
    """
    if len(graph.servers) == 1:
        return await verify(graph, settings, group_id, on_checked)
    found: dict[str, list[Problem]] = {}
    for server in graph.servers:
        if group_id is None or graph.of(group_id) is server:
            of_server = await verify(server, settings, group_id, on_checked)
            for group, problems in of_server.items():
                found.setdefault(group, []).extend(problems)
        for each in await counts(server):
            if group_id in (None, each.group_id) and graph.of(each.group_id) is not server:
                why = "where no rule places the group"
                if has_unended_move(graph, each.group_id):
                    why = "as a copy of a move that has not ended"
                problem = f"memories are on server '{server.name}', {why}"
                found.setdefault(each.group_id, []).append(
                    Problem(problem, each.memories, graph.of(each.group_id).name)
                )
    return found


async def verify(
    graph: Graph,
    settings: Settings,
    group_id: str | None = None,
    on_checked: OnChecked = lambda done: None,
) -> dict[str, list[Problem]]:
    """Check every memory and relation, and find nodes without their memory.

    Args:
        graph: The database.
        settings: The configuration.
        group_id: The tenant to check; None for all.
        on_checked: Called with the number of memories that were checked since the last call.

    Returns:
        The problems by group; problems of the schema are under ''.
    """
    missing = await indexes.missing_indexes(graph)
    found = {"": [Problem("an index or constraint is missing", 1, name) for name in missing]}
    for group in await groups(graph) if group_id is None else [group_id]:
        found[group] = await _of_group(graph, settings, group, on_checked)
    for orphans in await graph.rows("diagnostics/verify/orphans", _Orphans):
        problem = Problem(orphans.problem, orphans.count, orphans.example)
        if group_id in (None, orphans.group_id):
            found.setdefault(orphans.group_id, []).append(problem)
    return {group: problems for group, problems in found.items() if problems}


async def _of_group(
    graph: Graph, settings: Settings, group: str, on_checked: OnChecked
) -> list[Problem]:
    """Check the memories of a group and their relations; add up the problems of all pages."""
    found: dict[str, Problem] = {}
    async for ids in _pages(graph, group):
        problems = await _of_memories(graph, settings, group, ids)
        problems += await graph.rows(
            "diagnostics/verify/relations",
            Problem,
            group_id=group,
            ids=ids,
            types=list(RelationType),
        )
        for each in problems:
            found[each.problem] = _sum(each, found.get(each.problem))
        on_checked(len(ids))
    return [found[problem] for problem in sorted(found)]


async def _pages(graph: Graph, group: str) -> AsyncGenerator[list[str]]:
    """Yield the ids of Neo4j of the memories of a group, page by page."""
    async for block in graph.stream("diagnostics/verify/ids", group_id=group, length=_IDS):
        yield [id_ for (ids,) in block for id_ in ids]


async def _of_memories(
    graph: Graph, settings: Settings, group: str, ids: list[str]
) -> list[Problem]:
    return await graph.rows(
        "diagnostics/verify/memories",
        Problem,
        group_id=group,
        ids=ids,
        group_key=group_key(group),
        states=list(LifecycleState),
        types=list(MemoryType),
        sources=list(Source),
        policies=list(policies(settings.policy_dir)),
        model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
        kinds=KINDS,
    )


def _sum(one: Problem, other: Problem | None) -> Problem:
    """Return a problem of one page together with the same problem of earlier pages."""
    if other is None:
        return one
    example = min(one.example, other.example)
    return Problem(one.problem, one.count + other.count, example)
