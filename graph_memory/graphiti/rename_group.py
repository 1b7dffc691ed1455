"""Renaming groups of Graphiti whose ids are not valid tenant ids, and undoing it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.models import GROUP_ID_PATTERN
from graph_memory.errors import InvalidArgumentError

_BATCH = 1000

_LONGEST = 64


@dataclass(frozen=True, slots=True)
class GroupRename:
    """A rename of a group, and the numbers of nodes and relationships under the old id."""

    old: str
    new: str
    entities: int
    facts: int
    episodes: int
    communities: int
    sagas: int


@dataclass(frozen=True, slots=True)
class _IdUse:
    held: bool
    was: str | None


@dataclass(frozen=True, slots=True)
class _Count:
    entities: int
    facts: int
    episodes: int
    communities: int
    sagas: int


def is_tenant(group_id: str | None) -> bool:
    """Return True for a valid tenant id; the full-text index would split or lose other ids."""
    return bool(GROUP_ID_PATTERN.fullmatch(group_id or ""))


def remedy(group_id: str) -> str:
    """Return the remedy for an id that is not a valid tenant id, with a command to copy."""
    like = re.sub(r"[^A-Za-z0-9_]", "_", group_id)[:_LONGEST] or "main"
    return (
        "a tenant id has 1 to 64 letters, digits and underscores; rename the group, for example "
        f"with `graph-memory adopt --rename '{group_id}={like}'`"
    )


async def plan_renames(graph: Graph, renames: Mapping[str, str]) -> list[GroupRename]:
    """Check renames, and count what they would move, without any change.

    Args:
        graph: The database; each group is renamed on the server that has its new id.
        renames: New ids by old ids.

    Raises:
        InvalidArgumentError: An id is invalid, in use, or has no entities.
    """
    if len(set(renames.values())) < len(renames):
        raise InvalidArgumentError("rename", dict(renames), "two groups cannot get the same id")
    return [await _plan_rename(graph, old, new) for old, new in renames.items()]


async def rename(graph: Graph, renames: Mapping[str, str]) -> list[GroupRename]:
    """Rename groups; a repeated rename moves what was written since.

    Each rename is recorded first, so that an interrupted one can be repeated.

    Raises:
        InvalidArgumentError: As for `plan_renames`; nothing was changed.
    """
    planned = await plan_renames(graph, renames)
    for each in planned:
        server = graph.of(each.new)
        await server.run("graphiti/rename_group/note", id=each.new, was=each.old)
        await _move(server, each.old, each.new)
    return planned


async def give_back(graph: Graph, group_id: str) -> GroupRename | None:
    """Restore the old id of a renamed group; return None if it was not renamed.

    Memories that Graphiti did not find stay in the group, with the facts that lead to them.
    """
    server = graph.of(group_id)
    was = (await _id_use(server, group_id)).was
    if was is None:
        return None
    await _move(server, group_id, was)
    await server.run("graphiti/rename_group/forget", id=group_id)
    return _group_rename(group_id, was, await _count(server, was))


async def _plan_rename(graph: Graph, old: str, new: str) -> GroupRename:
    given = f"{old}={new}"
    if is_tenant(old):
        raise InvalidArgumentError("rename", given, f"'{old}' can be adopted as it is")
    if not is_tenant(new):
        raise InvalidArgumentError("rename", given, remedy(old))
    if graph.is_moving(new):
        raise InvalidArgumentError("rename", given, f"'{new}' is being moved to another server")
    server = graph.of(new)
    use, counts = await _id_use(server, new), await _count(server, old)
    if use.was is None and use.held:
        raise InvalidArgumentError("rename", given, f"'{new}' is in use; choose an unused id")
    if use.was not in (None, old):
        raise InvalidArgumentError("rename", given, f"'{use.was}' was renamed to '{new}'")
    if use.was is None and not counts.entities:
        where = f" on server '{server.name}', which has '{new}'" if len(graph.servers) > 1 else ""
        raise InvalidArgumentError("rename", given, f"group '{old}' has no entities{where}")
    return _group_rename(old, new, counts)


def _group_rename(old: str, new: str, counts: _Count) -> GroupRename:
    return GroupRename(
        old, new, counts.entities, counts.facts, counts.episodes, counts.communities, counts.sagas
    )


async def _count(graph: Graph, group_id: str) -> _Count:
    return await graph.one("graphiti/rename_group/count", _Count, id=group_id) or _Count(
        0, 0, 0, 0, 0
    )


async def _id_use(graph: Graph, group_id: str) -> _IdUse:
    return await graph.one("graphiti/rename_group/standing", _IdUse, id=group_id) or _IdUse(
        False, None
    )


async def _move(graph: Graph, old: str, new: str) -> None:
    for what in ("graphiti/rename_group/nodes", "graphiti/rename_group/edges"):
        await graph.run(what, from_id=old, to_id=new, batch=_BATCH)
