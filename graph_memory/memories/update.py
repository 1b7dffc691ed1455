"""Changing and deleting memories; earlier texts stay as versions, deletions can be undone."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from graph_memory.database.graph import Graph, UniquenessError
from graph_memory.decay import policies
from graph_memory.domain.attachments import attachments_json
from graph_memory.domain.encoding import default_title, metadata_json
from graph_memory.domain.inputs import MemoryChanges
from graph_memory.domain.models import Memory
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.errors import (
    ConfirmationRequiredError,
    InvalidArgumentError,
    RejectedBeforeError,
)
from graph_memory.memories import pending, tombstones
from graph_memory.memories.absent import not_found
from graph_memory.memories.access import restore_contents
from graph_memory.memories.add import content_properties
from graph_memory.memories.deduplication import check_not_stored
from graph_memory.memories.partial import check_part, with_part_superseded
from graph_memory.memories.read import get_many, view_parameters
from graph_memory.memories.screening import admit
from graph_memory.memories.standing import require_standing
from graph_memory.memories.tombstones import Cause
from graph_memory.wording import argument

#: The text that confirms the deletion of a whole group.
CONFIRMATION = "DELETE ALL"

#: The arguments that say how to change, and are no property.
_INSTRUCTIONS = ("clear", "supersede_part")
_CHANGEABLE = tuple(name for name in MemoryChanges.__slots__ if name not in _INSTRUCTIONS)

#: The stored values that readers see as text; a change of one lowers the authority to the writer's.
_SHOWN = frozenset(("content", "name", "tags", "metadata_json", "attachments_json"))

#: The values of cleared fields that are not null, or stand under another name.
_EMPTY: Mapping[str, Any] = {"tags": (), "metadata": {}, "attachments": ()}


@dataclass(frozen=True, slots=True)
class Deleted:
    """A deletion, and the end of the period in which it can be undone."""

    memory_id: str
    permanent: bool
    recoverable_until: datetime | None


@dataclass(frozen=True, slots=True)
class DeletedAll:
    """The deletion of a group's memories, and the backup made before it."""

    deleted: int
    backup_path: Path | None


async def update(
    engine: Engine,
    scope: CallScope,
    memory_id: str,
    changes: MemoryChanges,
    *,
    reviewed: bool = False,
) -> tuple[Memory, bool]:
    """Change a memory; its previous text is kept as a version.

    Args:
        engine: The database, the model, and the settings.
        scope: The tenant, the instant and the origin.
        memory_id: The memory.
        changes: The changes.
        reviewed: True to let a new content not wait for a review.

    Returns:
        The changed memory, and whether it was embedded again.

    Raises:
        InvalidArgumentError: `changes` is empty, a field is both changed and cleared, or the parent
            is the memory itself or below it. The new content contains a secret to refuse, or the
            part to supersede does not stand once in the content.
        DuplicateError: Another memory has the new content.
        ForbiddenError: The caller's texts wait for a review, and the memory has a higher authority.
        NotFoundError: The group has no such memory, or no such parent.
        PendingReviewError: The new content waits for a review.
        RejectedBeforeError: The group has rejected or erased the new content.
    """
    given, cleared = _given(changes)
    policies.require_policy(engine.settings, changes.decay_policy)
    found = await _fetch_decompressed(engine, scope, memory_id)
    if changes.parent_id:
        await _check_parent(engine.graph, scope.group_id, memory_id, changes.parent_id)
    given |= await _texts(engine, scope, found, changes)
    if "content" in given:
        rule = await _check_content(engine, scope, memory_id, given["content"])
        if not reviewed:
            await _hold(engine, scope, found, changes, given["content"], rule)
    if not reviewed:
        await require_standing(engine, scope, [memory_id])
    try:
        memory = await _store(engine, scope, found, changes, given, cleared)
    except UniquenessError:
        await check_not_stored(engine.graph, given["dedup_key"], scope.group_id)
        raise
    if memory is None and await _is_other(engine, scope, found):  # by a concurrent update
        return await update(engine, scope, memory_id, changes, reviewed=reviewed)
    if memory is None:
        raise await not_found(engine.graph, scope.group_id, memory_id)
    return memory, "content" in given


async def _check_content(
    engine: Engine, scope: CallScope, memory_id: str, content: str
) -> str | None:
    """Return the rule by which a new content waits for a review, if it states a rejected value.

    Raises:
        NotFoundError: The memory was erased in between, with the same new content.
        RejectedBeforeError: The group has rejected or erased the new content.
    """
    try:
        return await tombstones.check(engine, scope.group_id, content)
    except RejectedBeforeError:
        await _fetch_decompressed(engine, scope, memory_id)
        raise


async def _hold(
    engine: Engine,
    scope: CallScope,
    found: Memory,
    changes: MemoryChanges,
    content: str,
    rule: str | None,
) -> None:
    """Raise `PendingReviewError` for a new content that waits for a review, and keep it.

    `rule` is that of a rejected value, if the content states one.
    """
    stored = found.origin.authority if found.origin else None
    authority = scope.origin.at_most(stored).authority
    rule = rule or pending.rule_for(engine.settings, scope, scope.origin.authority, content)
    if rule:
        # The masked texts, so that no secret waits.
        given = changes.content if changes.supersede_part else content
        kept = replace(changes, content=given and admit(given, engine.settings))
        write = pending.Held("update", content, kept, authority, rule, found.memory_id)
        (error,) = await pending.hold(engine.graph, scope, [write])
        raise error


async def _texts(
    engine: Engine, scope: CallScope, found: Memory, changes: MemoryChanges
) -> dict[str, Any]:
    """Return the new content with all that depends on it, and the title; empty without a change."""
    texts: dict[str, Any] = {}
    content = changes.content
    if changes.supersede_part:
        content = with_part_superseded(found.content, changes.supersede_part, content)
    content = None if content is None else admit(content, engine.settings)
    # A concurrent update may have changed the content: never write it unchanged.
    if content is not None and content != found.content:
        texts["content"] = content
        texts |= await content_properties(engine, content, found.memory_id, scope.group_id)
    if "title" in changes.clear or changes.title:
        texts["name"] = changes.title or default_title(content or found.content)
    return texts


async def _store(
    engine: Engine,
    scope: CallScope,
    found: Memory,
    changes: MemoryChanges,
    given: Mapping[str, Any],
    cleared: list[str],
) -> Memory | None:
    """Store changes; None if the group has no such memory, or the part was changed since."""
    return await engine.graph.one(
        "memories/update/update",
        Memory,
        group_id=scope.group_id,
        memory_id=found.memory_id,
        changes=given,
        cleared=cleared,
        titled="title" in changes.clear or changes.title is not None,
        shown=not _SHOWN.isdisjoint(given),
        superseded=_superseded(found.content, changes.supersede_part),
        version_id=str(uuid.uuid4()),
        graphiti_vectors=engine.settings.graphiti_vectors,
        **view_parameters(engine.settings, scope.now)
        | {"decay": policies.parameters(engine.settings, by=str(scope.origin))}
        | scope.origin.parameters(),
    )


async def _is_other(engine: Engine, scope: CallScope, found: Memory) -> bool:
    """Return whether a memory has another content than when it was found.

    Raises:
        NotFoundError: The group has no such memory any more.
    """
    now = await _fetch_decompressed(engine, scope, found.memory_id)
    return now.content != found.content


def _superseded(content: str, part: str | None) -> dict[str, str] | None:
    """Return what the correction of a part is of; None for another change."""
    if part is None:
        return None
    return {"content": content, "part": part.strip(), "title": default_title(content)}


def _given(changes: MemoryChanges) -> tuple[dict[str, Any], list[str]]:
    """Return the values to store, and the names of the fields to empty."""
    values = ((name, getattr(changes, name)) for name in _CHANGEABLE)
    given = {name: value for name, value in values if value is not None}
    check_part(changes)
    if not given and not changes.clear and not changes.supersede_part:
        names = ", ".join(argument(name) for name in (*_CHANGEABLE, *_INSTRUCTIONS))
        raise InvalidArgumentError("changes", {}, f"give at least one of {names}")
    for name in changes.clear:
        if name in given:
            raise InvalidArgumentError("clear", name, f"{argument(name)} is given, too; give one")
    given.pop("content", None)  # stored as it is admitted
    given |= {name: value for name, value in _EMPTY.items() if name in changes.clear}
    cleared = [name for name in changes.clear if name not in (*_EMPTY, "title")]
    if "tags" in given:
        given["tags"] = list(given["tags"])
    if "metadata" in given:
        given["metadata_json"] = metadata_json(given.pop("metadata"))
    if "attachments" in given:
        given["attachments_json"] = attachments_json(given.pop("attachments"))
        cleared += [] if given["attachments_json"] else ["attachments_json"]
    return given, cleared


async def _check_parent(graph: Graph, group_id: str, memory_id: str, parent_id: str) -> None:
    circular = await graph.one(
        "memories/update/parent", bool, group_id=group_id, memory_id=memory_id, parent_id=parent_id
    )
    if circular is None:
        raise await not_found(graph, group_id, parent_id)
    if circular:
        raise InvalidArgumentError(
            "parent_id", parent_id, "it is the memory itself, or below it; choose another parent"
        )


async def _fetch_decompressed(engine: Engine, scope: CallScope, memory_id: str) -> Memory:
    """Fetch a memory to change, and store its whole content if it is compressed.

    Raises:
        NotFoundError: The group has no such memory.
    """
    found = await get_many(engine, scope, [memory_id])
    if not found:
        raise await not_found(engine.graph, scope.group_id, memory_id)
    contents = {memory_id: found[0].content}
    await restore_contents(engine.graph, contents, group_id=scope.group_id)
    return found[0]


async def delete(
    engine: Engine,
    scope: CallScope,
    memory_id: str,
    *,
    permanent: bool = False,
    tombstone: bool = True,
) -> Deleted:
    """Delete a memory; unless `permanent`, it can be recovered during the retention.

    The episodes that mention it stay, because they mention other memories as well.

    Args:
        engine: The database, and the settings of tombstones and retention.
        scope: The tenant and the instant.
        memory_id: The memory.
        permanent: True to erase it.
        tombstone: True to leave a tombstone of an erased memory, so that the statement is not
            stored again.

    Raises:
        ForbiddenError: The caller's texts wait for a review, and the memory has a higher authority.
        NotFoundError: The group has no such memory.
    """
    await require_standing(engine, scope, [memory_id])
    if permanent:
        left = (
            await tombstones.rows_of(engine, scope, [memory_id], Cause.ERASED) if tombstone else ()
        )
        gone = await erase(engine.graph, scope.group_id, [memory_id], left)
    else:
        gone = await engine.graph.rows(
            "memories/update/delete",
            str,
            memory_ids=[memory_id],
            decay=policies.parameters(engine.settings, by=str(scope.origin)),
            **scope.parameters(),
        )
    if not gone:
        raise await not_found(engine.graph, scope.group_id, memory_id)
    retention = timedelta(days=engine.settings.soft_delete_retention_days)
    return Deleted(memory_id, permanent, None if permanent else scope.now + retention)


async def erase(
    graph: Graph,
    group_id: str,
    memory_ids: Sequence[str],
    left: Sequence[Mapping[str, Any]] = (),
) -> list[str]:
    """Erase memories beyond recovery, and return the ids of those that the group had.

    Args:
        graph: The database.
        group_id: The tenant.
        memory_ids: The memories.
        left: The tombstones to leave, as `tombstones.rows_of` returns them.
    """
    return await graph.rows(
        "memories/update/erase",
        str,
        group_id=group_id,
        memory_ids=list(memory_ids),
        tombstones=list(left),
    )


async def delete_all(
    engine: Engine, scope: CallScope, *, confirm: str, permanent: bool = False
) -> int:
    """Delete every memory of a group, and return their number.

    Args:
        engine: The database, and the decay policies.
        scope: The tenant and the instant.
        confirm: The text `DELETE ALL`.
        permanent: True to erase beyond recovery, with the sessions, episodes, purged memories and
            tombstones of the group.

    Raises:
        ConfirmationRequiredError: `confirm` is not `DELETE ALL`.
    """
    graph, group_id = engine.graph, scope.group_id
    require_confirmation(confirm, group_id)
    await require_standing(engine, scope, None)
    if permanent:
        deleted = await graph.one("memories/update/erase_all", int, group_id=group_id)
        await graph.run("memories/update/blank_changes", group_id=group_id)
        await tombstones.forget(graph, group_id)
    else:
        deleted = await graph.one(
            "memories/update/delete_all",
            int,
            decay=policies.parameters(engine.settings, by=str(scope.origin)),
            **scope.parameters(),
        )
    return deleted or 0


def require_confirmation(confirm: str, group_id: str) -> None:
    """Check that the deletion of a whole group is confirmed.

    Raises:
        ConfirmationRequiredError: `confirm` is not `DELETE ALL`.
    """
    if confirm != CONFIRMATION:
        raise ConfirmationRequiredError(
            f"Deleting every memory of group '{group_id}'", CONFIRMATION
        )
