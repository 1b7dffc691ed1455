"""Verification of memories and relations beyond the constraints of the database."""

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
    graph: Graph, settings: Settings, group_id: str | None = None
) -> dict[str, list[Problem]]:
    """Check every server of the placement file, or the one of a group.

    A group with memories on another server than its own is a problem. Arguments as in `verify`.
    """
    if len(graph.servers) == 1:
        return await verify(graph, settings, group_id)
    found: dict[str, list[Problem]] = {}
    for server in graph.servers:
        if group_id is None or graph.of(group_id) is server:
            for group, problems in (await verify(server, settings, group_id)).items():
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
    graph: Graph, settings: Settings, group_id: str | None = None
) -> dict[str, list[Problem]]:
    """Check every memory and relation, and find nodes without their memory.

    Args:
        graph: The database.
        settings: The configuration.
        group_id: The tenant to check; None for all.

    Returns:
        The problems by group; problems of the schema are under ''.
    """
    missing = await indexes.missing_indexes(graph)
    found = {"": [Problem("an index or constraint is missing", 1, name) for name in missing]}
    for group in await groups(graph) if group_id is None else [group_id]:
        found[group] = [
            *await _memories(graph, settings, group),
            *await graph.rows("diagnostics/verify/summaries", Problem, group_id=group),
            *await graph.rows(
                "diagnostics/verify/relations", Problem, group_id=group, types=list(RelationType)
            ),
        ]
    for orphans in await graph.rows("diagnostics/verify/orphans", _Orphans):
        problem = Problem(orphans.problem, orphans.count, orphans.example)
        if group_id in (None, orphans.group_id):
            found.setdefault(orphans.group_id, []).append(problem)
    return {group: problems for group, problems in found.items() if problems}


async def _memories(graph: Graph, settings: Settings, group: str) -> list[Problem]:
    return await graph.rows(
        "diagnostics/verify/memories",
        Problem,
        group_id=group,
        group_key=group_key(group),
        states=list(LifecycleState),
        types=list(MemoryType),
        sources=list(Source),
        policies=list(policies(settings.policy_dir)),
        model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
        kinds=KINDS,
    )
