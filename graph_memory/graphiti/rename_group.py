"""Another id for a group of Graphiti whose own can be no tenant's, and the old one back."""

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
    """A group to get another id, and how much of it there is under the old one."""

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
    """Tell whether an id can be a tenant's: the index of words would split others, or lose them."""
    return bool(GROUP_ID_PATTERN.fullmatch(group_id or ""))


def remedy(group_id: str) -> str:
    """Say what to type where an id can be no tenant's."""
    like = re.sub(r"[^A-Za-z0-9_]", "_", group_id)[:_LONGEST] or "main"
    return (
        "a tenant's id has 1 to 64 letters, digits and underscores; give the group another, as "
        f"with `graph-memory adopt --rename '{group_id}={like}'`"
    )


async def plan_renames(graph: Graph, renames: Mapping[str, str]) -> list[GroupRename]:
    """Count what renaming would move; changes nothing.

    Args:
        graph: Where.
        renames: The new id of each old one.

    Raises:
        InvalidArgumentError: An id cannot be given, is taken, or belongs to nothing.
    """
    if len(set(renames.values())) < len(renames):
        raise InvalidArgumentError("rename", dict(renames), "two groups cannot become one")
    return [await _plan_rename(graph, old, new) for old, new in renames.items()]


async def rename(graph: Graph, renames: Mapping[str, str]) -> list[GroupRename]:
    """Give groups other ids, whoever wrote there; a second time moves what was written since.

    It is noted first what is moved where, so that what was interrupted can be repeated.

    Raises:
        InvalidArgumentError: As for `plan_renames`; nothing was changed.
    """
    planned = await plan_renames(graph, renames)
    for each in planned:
        await graph.run("graphiti/rename_group/note", id=each.new, was=each.old)
        await _move(graph, each.old, each.new)
    return planned


async def give_back(graph: Graph, group_id: str) -> GroupRename | None:
    """Give what Graphiti made in a group the id it had before; return how much, if it had another.

    Memories of ours stay in the group, and with them the facts that lead to them.
    """
    was = (await _id_use(graph, group_id)).was
    if was is None:
        return None
    await _move(graph, group_id, was)
    await graph.run("graphiti/rename_group/forget", id=group_id)
    return _group_rename(group_id, was, await _count(graph, was))


async def _plan_rename(graph: Graph, old: str, new: str) -> GroupRename:
    said = f"{old}={new}"
    if is_tenant(old):
        raise InvalidArgumentError("rename", said, f"'{old}' can be adopted as it is")
    if not is_tenant(new):
        raise InvalidArgumentError("rename", said, remedy(old))
    use, there = await _id_use(graph, new), await _count(graph, old)
    if use.was is None and use.held:
        raise InvalidArgumentError("rename", said, f"'{new}' is taken; name one that holds nothing")
    if use.was not in (None, old):
        raise InvalidArgumentError("rename", said, f"'{new}' is what '{use.was}' was renamed")
    if use.was is None and not there.entities:
        raise InvalidArgumentError("rename", said, f"there is no entity of a group '{old}'")
    return _group_rename(old, new, there)


def _group_rename(old: str, new: str, there: _Count) -> GroupRename:
    return GroupRename(
        old, new, there.entities, there.facts, there.episodes, there.communities, there.sagas
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
