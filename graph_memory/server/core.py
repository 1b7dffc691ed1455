"""The core toolset: remember, recall, revise."""

from typing import Annotated

from pydantic import Field

from graph_memory.api import GraphMemory
from graph_memory.arguments import NewMemory
from graph_memory.memories import MemoryType, SortOrder, Source
from graph_memory.profiles import Profile
from graph_memory.server import parameters as p
from graph_memory.server.tools import DESTROYS, READS, WRITES, Toolset
from graph_memory.server.views import (
    Added,
    AddedMany,
    DeletedMemory,
    Found,
    GotMemory,
    Listed,
    Touched,
    Updated,
)

toolset = Toolset()


@toolset.tool("Add a memory", WRITES)
async def add_memory(
    memory: GraphMemory,
    content: p.Text,
    memory_type: p.Type = MemoryType.GENERAL,
    tags: p.TagList = (),
    metadata: p.Details = {},  # noqa: B006 - never changed
    importance: p.Weight = None,
    stability: p.Durability = None,
    confidence: p.Confidence = None,
    source: p.Origin = Source.USER,
    project_id: p.Project = None,
    parent_id: p.Parent = None,
    conversation_id: p.Talk = None,
    relationships: p.Relationships = (),
    valid_at: p.TrueFrom = None,
    decay_policy: p.Policy = None,
    decay_rate: p.Rate = None,
    group_id: p.Group = None,
) -> Added:
    """Remember something. The same content is stored once: `duplicate` names its id."""
    given = NewMemory(
        content=content, memory_type=memory_type, tags=tags, metadata=metadata,
        importance=importance, stability=stability, confidence=confidence, source=source,
        project_id=project_id, parent_id=parent_id, conversation_id=conversation_id,
        relationships=relationships, valid_at=valid_at,
        decay_policy=decay_policy, decay_rate=decay_rate,
    )  # fmt: skip
    return await added(memory, given, group_id)


@toolset.tool("Add many memories", WRITES)
async def add_memories(
    memory: GraphMemory, memories: p.Batch, group_id: p.Group = None
) -> AddedMany:
    """Remember many things; one refused stops no other."""
    return AddedMany.of(await memory.add_many(memories, group_id=group_id))


@toolset.tool("Get a memory", READS)
async def get_memory(
    memory: GraphMemory,
    memory_id: p.Id,
    include_relations: Annotated[bool, Field(description="With its relations.")] = False,
    as_of: p.AsOf = None,
    known_at: p.KnownAt = None,
    group_id: p.Group = None,
) -> GotMemory:
    """Read a memory in full; counts as an access."""
    found = await memory.get(memory_id, as_of=as_of, known_at=known_at, group_id=group_id)
    if not include_relations:
        return GotMemory(memory=found)
    relations = await memory.relations(memory_id, as_of=as_of, known_at=known_at, group_id=group_id)
    return GotMemory(memory=found, relations=relations)


@toolset.tool("Update a memory", WRITES, synonyms={"id": "memory_id"})
async def update_memory(
    memory: GraphMemory,
    memory_id: p.Id,
    content: p.NewText = None,
    metadata: p.NewDetails = None,
    tags: p.NewTags = None,
    importance: p.Weight = None,
    memory_type: p.NewType = None,
    stability: p.Durability = None,
    confidence: p.Confidence = None,
    project_id: p.Project = None,
    decay_policy: p.Policy = None,
    decay_rate: p.Rate = None,
    group_id: p.Group = None,
) -> Updated:
    """Change a memory; give at least one change."""
    changed, re_embedded = await memory.update(
        memory_id, group_id=group_id,
        content=content, metadata=metadata, tags=tags, importance=importance,
        memory_type=memory_type, stability=stability, confidence=confidence,
        project_id=project_id, decay_policy=decay_policy, decay_rate=decay_rate,
    )  # fmt: skip
    return Updated(memory=changed, re_embedded=re_embedded)


@toolset.tool("Delete a memory", DESTROYS)
async def delete_memory(
    memory: GraphMemory, memory_id: p.Id, permanent: p.Forever = False, group_id: p.Group = None
) -> DeletedMemory:
    """Delete a memory; it can be recovered for a while unless permanent."""
    return DeletedMemory.of(await memory.delete(memory_id, permanent=permanent, group_id=group_id))


@toolset.tool("Search memories", READS)
async def search_memory(
    memory: GraphMemory,
    query: p.Query,
    limit: p.Limit = 10,
    memory_types: p.Types = None,
    tags: p.AnyTag = None,
    date_from: p.Since = None,
    date_to: p.Until = None,
    project_id: p.Project = None,
    states: p.Living = None,
    profile: p.Ranking = Profile.RECALL,
    weights: p.Weights = None,
    as_of: p.AsOf = None,
    known_at: p.KnownAt = None,
    group_id: p.Group = None,
) -> Found:
    """Find the memories that answer a question, best first, scored 0 to 1."""
    found = await memory.search(
        query, limit=limit, profile=profile, weights=weights, group_id=group_id,
        memory_types=memory_types, tags=tags, date_from=date_from, date_to=date_to,
        project_id=project_id, states=states, as_of=as_of, known_at=known_at,
    )  # fmt: skip
    return Found.of(found)


@toolset.tool("List memories", READS)
async def list_memories(
    memory: GraphMemory,
    memory_type: p.OneType = None,
    tags: p.AnyTag = None,
    date_from: p.Since = None,
    date_to: p.Until = None,
    states: p.Listable = None,
    project_id: p.Project = None,
    sort: p.Order = SortOrder.IMPORTANCE,
    limit: p.Limit = 20,
    cursor: p.Cursor = None,
    as_of: p.AsOf = None,
    known_at: p.KnownAt = None,
    group_id: p.Group = None,
) -> Listed:
    """List memories by type, tag, date or state, in pages; search_memory finds by meaning."""
    page = await memory.list(
        sort=sort, limit=limit, cursor=cursor, group_id=group_id,
        memory_types=(memory_type,) if memory_type else None, tags=tags, date_from=date_from,
        date_to=date_to, states=states, project_id=project_id, as_of=as_of, known_at=known_at,
    )  # fmt: skip
    return Listed.of(page)


@toolset.tool("Touch a memory", READS, synonyms={"node_id": "memory_id"})
async def touch_memory(memory: GraphMemory, memory_id: p.Id, group_id: p.Group = None) -> Touched:
    """Count an access: what proved useful fades later."""
    await memory.touch(memory_id, group_id=group_id)
    return Touched(memory_id=memory_id)


async def added(memory: GraphMemory, given: NewMemory, group_id: str | None) -> Added:
    """Store one memory and describe it."""
    (outcome,) = await memory.add_many([given], group_id=group_id)
    if outcome.error:
        raise outcome.error
    stored = await memory.get(outcome.memory_id or "", counted=False, group_id=group_id)
    return Added.of(stored, outcome.relations_created)
