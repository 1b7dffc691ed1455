"""The core toolset: add, read, search, change and delete memories."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Profile, Scope
from graph_memory.domain.inputs import NewMemory
from graph_memory.domain.models import MemoryType, ResultOrder, SortOrder, Source
from graph_memory.domain.secret_scan import kinds_of_secrets
from graph_memory.server import parameters
from graph_memory.server.schemas import Unlisted
from graph_memory.server.tool import DESTROYS, READS, SETS, WRITES, Toolset
from graph_memory.server.views.base import (
    AccessView,
    AddView,
    BatchView,
    DeletionView,
    ErasureView,
    MemoryView,
    PageView,
    SearchView,
    UpdateView,
)
from graph_memory.server.views.lean import Detail, FullView, LeanPage, LeanSearch, LeanView
from graph_memory.server.views.lifecycle import DecayStatusView, ExplainedMemoryView

toolset = Toolset()
touching = Toolset(Scope.READ)  # a caller that may read may count a use


@toolset.tool("Add a memory", SETS)
async def add_memory(
    memory: GraphMemory,
    content: parameters.Content,
    memory_type: parameters.MemoryType = MemoryType.GENERAL,
    tags: parameters.Tags = (),
    metadata: parameters.Metadata = {},  # noqa: B006 - never changed
    attachments: parameters.Attachments = (),
    importance: parameters.Importance = None,
    stability: Unlisted[parameters.Stability] = None,
    confidence: Unlisted[parameters.Confidence] = None,
    source: Unlisted[parameters.Source] = Source.USER,
    title: Unlisted[parameters.Title] = None,
    project_id: parameters.ProjectId = None,
    parent_id: Unlisted[parameters.ParentId] = None,
    conversation_id: Unlisted[parameters.ConversationId] = None,
    relationships: Unlisted[parameters.Relationships] = (),
    valid_at: parameters.ValidAt = None,
    decay_policy: Unlisted[parameters.DecayPolicy] = None,
    decay_rate: Unlisted[parameters.DecayRate] = None,
    group_id: parameters.GroupId = None,
) -> AddView:
    """Store one statement when you learn a fact, preference, decision or task worth keeping.

    Repeated content fails with `duplicate` and its id.
    """
    given = NewMemory(
        content=content,
        memory_type=memory_type,
        tags=tags,
        metadata=metadata,
        attachments=attachments,
        importance=importance,
        stability=stability,
        confidence=confidence,
        source=source,
        title=title,
        project_id=project_id,
        parent_id=parent_id,
        conversation_id=conversation_id,
        relationships=relationships,
        valid_at=valid_at,
        decay_policy=decay_policy,
        decay_rate=decay_rate,
    )
    return await added(memory, given, group_id)


@toolset.tool("Add many memories", SETS)
async def add_memories(
    memory: GraphMemory, memories: parameters.Memories, group_id: parameters.GroupId = None
) -> BatchView:
    """Store many statements when you have a list. Each succeeds or fails alone."""
    return BatchView.of(await memory.add_many(memories, group_id=group_id))


@toolset.tool("Get a memory", READS)
async def get_memory(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    include_relations: Annotated[bool, Field(description="Also its relations.")] = False,
    counted: Unlisted[parameters.Counted] = True,
    session_id: Unlisted[parameters.Session] = None,
    as_of: Unlisted[parameters.AsOf] = None,
    known_at: Unlisted[parameters.KnownAt] = None,
    detail: Unlisted[parameters.MemoryDetail] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> MemoryView:
    """Read a memory in full when you have its id."""
    found = await memory.get(
        memory_id,
        counted=counted,
        session_id=session_id,
        as_of=as_of,
        known_at=known_at,
        group_id=group_id,
    )
    relations = None
    if include_relations:
        relations = await memory.relations.list(
            memory_id, as_of=as_of, known_at=known_at, group_id=group_id
        )
    if detail is Detail.LEAN or as_of or known_at:
        return MemoryView(memory=found, relations=relations)
    status = await memory.lifecycle.status(memory_id, group_id=group_id)
    decay = DecayStatusView.of(status, memory.lifecycle.rules_hash())
    return ExplainedMemoryView(memory=found, relations=relations, decay=decay)


@toolset.tool("Update a memory", SETS, synonyms={"id": "memory_id"})
async def update_memory(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    content: parameters.NewContent = None,
    supersede_part: parameters.SupersedePart = None,
    metadata: Unlisted[parameters.NewMetadata] = None,
    attachments: Unlisted[parameters.NewAttachments] = None,
    tags: parameters.NewTags = None,
    importance: parameters.Importance = None,
    memory_type: parameters.NewMemoryType = None,
    stability: Unlisted[parameters.Stability] = None,
    confidence: Unlisted[parameters.Confidence] = None,
    title: Unlisted[parameters.Title] = None,
    project_id: Unlisted[parameters.ProjectId] = None,
    parent_id: Unlisted[parameters.ParentId] = None,
    decay_policy: Unlisted[parameters.DecayPolicy] = None,
    decay_rate: Unlisted[parameters.DecayRate] = None,
    clear: Unlisted[parameters.Clear] = (),
    group_id: parameters.GroupId = None,
) -> UpdateView:
    """Correct a memory when it is wrong, or change its tags, type or ratings."""
    changed, re_embedded = await memory.update(
        memory_id,
        group_id=group_id,
        content=content,
        supersede_part=supersede_part,
        metadata=metadata,
        attachments=attachments,
        tags=tags,
        importance=importance,
        memory_type=memory_type,
        stability=stability,
        confidence=confidence,
        title=title,
        project_id=project_id,
        parent_id=parent_id,
        decay_policy=decay_policy,
        decay_rate=decay_rate,
        clear=clear,
    )
    # The stored text differs from the given one only where a secret was masked.
    masked = kinds_of_secrets(content) if content and content not in changed.content else []
    return UpdateView(masked=masked, memory=changed, re_embedded=re_embedded)


@toolset.tool("Delete a memory", DESTROYS)
async def delete_memory(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    permanent: parameters.Permanent = False,
    group_id: parameters.GroupId = None,
) -> DeletionView:
    """Delete a memory when it should not be kept. Recoverable for 90 days."""
    if not permanent:
        return DeletionView.of(await memory.delete(memory_id, group_id=group_id))
    receipt = await memory.erasure.erase([memory_id], group_id=group_id)
    left = {each.place: each.remaining for each in receipt.places if each.remaining}
    short = ErasureView(
        receipt_id=receipt.receipt_id, places_searched=len(receipt.places), remaining=left
    )
    return DeletionView(memory_id=memory_id, permanent=True, recoverable_until=None, erasure=short)


@toolset.tool("Search memories", READS)
async def search_memory(
    memory: GraphMemory,
    query: parameters.Query,
    limit: parameters.Limit = 10,
    memory_types: parameters.MemoryTypes = None,
    tags: parameters.AnyTags = None,
    date_from: parameters.DateFrom = None,
    date_to: parameters.DateTo = None,
    project_id: parameters.ProjectId = None,
    min_authority: Unlisted[parameters.MinAuthority] = None,
    states: Unlisted[parameters.States] = None,
    profile: Unlisted[parameters.ProfileName] = Profile.RECALL,
    weights: Unlisted[parameters.Weights] = None,
    min_relevance: Unlisted[parameters.MinRelevance] = None,
    counted: Unlisted[parameters.Counted] = True,
    sort: parameters.ResultSort = ResultOrder.SCORE,
    as_of: parameters.AsOf = None,
    known_at: Unlisted[parameters.KnownAt] = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Search memories by meaning and words before you answer."""
    found = await memory.search(
        query,
        limit=limit,
        profile=profile,
        weights=weights,
        min_relevance=min_relevance or 0.0,
        counted=counted,
        sort=sort,
        group_id=group_id,
        memory_types=memory_types,
        tags=tags,
        date_from=date_from,
        date_to=date_to,
        project_id=project_id,
        min_authority=min_authority,
        states=states,
        as_of=as_of,
        known_at=known_at,
    )
    lean = LeanSearch(found)
    return lean if detail is Detail.LEAN else FullView(lean, SearchView.of(found))


@toolset.tool("List memories", READS)
async def list_memories(
    memory: GraphMemory,
    memory_type: parameters.OneMemoryType = None,
    tags: parameters.AnyTags = None,
    date_from: parameters.DateFrom = None,
    date_to: parameters.DateTo = None,
    states: parameters.ListedStates = None,
    project_id: Unlisted[parameters.ProjectId] = None,
    min_authority: Unlisted[parameters.MinAuthority] = None,
    sort: parameters.Sort = SortOrder.IMPORTANCE,
    limit: parameters.Limit = 20,
    cursor: parameters.Cursor = None,
    counted: Unlisted[parameters.Counted] = False,
    as_of: Unlisted[parameters.AsOf] = None,
    known_at: Unlisted[parameters.KnownAt] = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """List memories when you know their type, tag, date or state."""
    page = await memory.list(
        sort=sort,
        limit=limit,
        cursor=cursor,
        counted=counted,
        group_id=group_id,
        memory_types=(memory_type,) if memory_type else None,
        tags=tags,
        date_from=date_from,
        date_to=date_to,
        states=states,
        project_id=project_id,
        min_authority=min_authority,
        as_of=as_of,
        known_at=known_at,
    )
    lean = LeanPage(page)
    return lean if detail is Detail.LEAN else FullView(lean, PageView.of(page))


@touching.tool("Touch a memory", WRITES, synonyms={"node_id": "memory_id"})
async def touch_memory(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    session_id: Unlisted[parameters.Session] = None,
    group_id: parameters.GroupId = None,
) -> AccessView:
    """Count an access when a memory was useful, so that it fades later."""
    touched = await memory.touch(memory_id, session_id=session_id, group_id=group_id)
    return AccessView.of(touched)


async def added(memory: GraphMemory, given: NewMemory, group_id: str | None) -> AddView:
    """Store one memory, and return its view."""
    (outcome,) = await memory.add_many([given], compare=True, group_id=group_id)
    if outcome.error:
        raise outcome.error
    memory_id = outcome.memory_id or ""
    return AddView.of(await memory.get(memory_id, counted=False, group_id=group_id), outcome)
