"""The core toolset: remember, recall, revise."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import NewMemory
from graph_memory.domain.models import MemoryType, SortOrder, Source
from graph_memory.ranking.profiles import Profile
from graph_memory.server import parameters
from graph_memory.server.tool import DESTROYS, READS, WRITES, Toolset
from graph_memory.server.views.base import (
    Added,
    AddedMany,
    DeletedMemory,
    GotMemory,
    Listed,
    SearchView,
    Touched,
    Updated,
)

toolset = Toolset()


@toolset.tool("Add a memory", WRITES)
async def add_memory(
    memory: GraphMemory,
    content: parameters.Text,
    memory_type: parameters.Type = MemoryType.GENERAL,
    tags: parameters.TagList = (),
    metadata: parameters.Details = {},  # noqa: B006 - never changed
    importance: parameters.Weight = None,
    stability: parameters.Durability = None,
    confidence: parameters.Confidence = None,
    source: parameters.Origin = Source.USER,
    project_id: parameters.Project = None,
    parent_id: parameters.Parent = None,
    conversation_id: parameters.Talk = None,
    relationships: parameters.Relationships = (),
    valid_at: parameters.TrueFrom = None,
    decay_policy: parameters.Policy = None,
    decay_rate: parameters.Rate = None,
    group_id: parameters.Group = None,
) -> Added:
    """Remember something. The same content is stored once: `duplicate` names its id."""
    given = NewMemory(
        content=content,
        memory_type=memory_type,
        tags=tags,
        metadata=metadata,
        importance=importance,
        stability=stability,
        confidence=confidence,
        source=source,
        project_id=project_id,
        parent_id=parent_id,
        conversation_id=conversation_id,
        relationships=relationships,
        valid_at=valid_at,
        decay_policy=decay_policy,
        decay_rate=decay_rate,
    )
    return await added(memory, given, group_id)


@toolset.tool("Add many memories", WRITES)
async def add_memories(
    memory: GraphMemory, memories: parameters.Batch, group_id: parameters.Group = None
) -> AddedMany:
    """Remember many things; one refused stops no other."""
    return AddedMany.of(await memory.add_many(memories, group_id=group_id))


@toolset.tool("Get a memory", READS)
async def get_memory(
    memory: GraphMemory,
    memory_id: parameters.Id,
    include_relations: Annotated[bool, Field(description="With its relations.")] = False,
    as_of: parameters.AsOf = None,
    known_at: parameters.KnownAt = None,
    group_id: parameters.Group = None,
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
    memory_id: parameters.Id,
    content: parameters.NewText = None,
    metadata: parameters.NewDetails = None,
    tags: parameters.NewTags = None,
    importance: parameters.Weight = None,
    memory_type: parameters.NewType = None,
    stability: parameters.Durability = None,
    confidence: parameters.Confidence = None,
    project_id: parameters.Project = None,
    decay_policy: parameters.Policy = None,
    decay_rate: parameters.Rate = None,
    group_id: parameters.Group = None,
) -> Updated:
    """Change a memory; give at least one change."""
    changed, re_embedded = await memory.update(
        memory_id,
        group_id=group_id,
        content=content,
        metadata=metadata,
        tags=tags,
        importance=importance,
        memory_type=memory_type,
        stability=stability,
        confidence=confidence,
        project_id=project_id,
        decay_policy=decay_policy,
        decay_rate=decay_rate,
    )
    return Updated(memory=changed, re_embedded=re_embedded)


@toolset.tool("Delete a memory", DESTROYS)
async def delete_memory(
    memory: GraphMemory,
    memory_id: parameters.Id,
    permanent: parameters.Forever = False,
    group_id: parameters.Group = None,
) -> DeletedMemory:
    """Delete a memory; it can be recovered for a while unless permanent."""
    return DeletedMemory.of(await memory.delete(memory_id, permanent=permanent, group_id=group_id))


@toolset.tool("Search memories", READS)
async def search_memory(
    memory: GraphMemory,
    query: parameters.Query,
    limit: parameters.Limit = 10,
    memory_types: parameters.Types = None,
    tags: parameters.AnyTag = None,
    date_from: parameters.Since = None,
    date_to: parameters.Until = None,
    project_id: parameters.Project = None,
    states: parameters.Living = None,
    profile: parameters.Ranking = Profile.RECALL,
    weights: parameters.Weights = None,
    as_of: parameters.AsOf = None,
    known_at: parameters.KnownAt = None,
    group_id: parameters.Group = None,
) -> SearchView:
    """Find the memories that answer a question, best first, scored 0 to 1."""
    found = await memory.search(
        query,
        limit=limit,
        profile=profile,
        weights=weights,
        group_id=group_id,
        memory_types=memory_types,
        tags=tags,
        date_from=date_from,
        date_to=date_to,
        project_id=project_id,
        states=states,
        as_of=as_of,
        known_at=known_at,
    )
    return SearchView.of(found)


@toolset.tool("List memories", READS)
async def list_memories(
    memory: GraphMemory,
    memory_type: parameters.OneType = None,
    tags: parameters.AnyTag = None,
    date_from: parameters.Since = None,
    date_to: parameters.Until = None,
    states: parameters.Listable = None,
    project_id: parameters.Project = None,
    sort: parameters.Order = SortOrder.IMPORTANCE,
    limit: parameters.Limit = 20,
    cursor: parameters.Cursor = None,
    as_of: parameters.AsOf = None,
    known_at: parameters.KnownAt = None,
    group_id: parameters.Group = None,
) -> Listed:
    """List memories by type, tag, date or state, in pages; search_memory finds by meaning."""
    page = await memory.list(
        sort=sort,
        limit=limit,
        cursor=cursor,
        group_id=group_id,
        memory_types=(memory_type,) if memory_type else None,
        tags=tags,
        date_from=date_from,
        date_to=date_to,
        states=states,
        project_id=project_id,
        as_of=as_of,
        known_at=known_at,
    )
    return Listed.of(page)


@toolset.tool("Touch a memory", READS, synonyms={"node_id": "memory_id"})
async def touch_memory(
    memory: GraphMemory, memory_id: parameters.Id, group_id: parameters.Group = None
) -> Touched:
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
