"""The compat toolset: older names of tools, with their own limits and order."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Algorithm, Direction, Profile
from graph_memory.domain.inputs import NewMemory, Unit
from graph_memory.domain.models import MemoryType, SortOrder
from graph_memory.domain.timestamps import EndMoment, Moment
from graph_memory.errors import InvalidArgumentError, NotFoundError
from graph_memory.server import parameters
from graph_memory.server.schemas import Unlisted
from graph_memory.server.tool import READS, SETS, Toolset
from graph_memory.server.tools import core, traversal
from graph_memory.server.views.base import AddView, MemoryIdView
from graph_memory.server.views.lean import Detail, LeanView

toolset = Toolset()


@toolset.tool("Save a memory", SETS, alias_of="add_memory")
async def save_memory(
    memory: GraphMemory,
    content: parameters.Content,
    metadata: parameters.Metadata = {},  # noqa: B006 - never changed
    tags: parameters.Tags = (),
    importance: parameters.Importance = 5,
    memory_type: parameters.MemoryType = MemoryType.GENERAL,
    group_id: parameters.GroupId = None,
) -> AddView:
    """Use add_memory."""
    given = NewMemory(
        content=content,
        metadata=metadata,
        tags=tags,
        importance=importance,
        memory_type=memory_type,
    )
    return await core.added(memory, given, group_id)


@toolset.tool("Store a memory", SETS, alias_of="add_memory")
async def store_memory(
    memory: GraphMemory,
    content: parameters.Content,
    relationships: parameters.Relationships = (),
    node_type: parameters.MemoryType = MemoryType.CONCEPT,
    importance: Annotated[Unit, Field(description="Importance, 0 trivial to 1 vital.")] = 0.5,
    group_id: parameters.GroupId = None,
) -> MemoryIdView:
    """Use add_memory, with importance from 1 to 10."""
    given = NewMemory(
        content=content,
        relationships=relationships,
        memory_type=node_type,
        importance=max(10 * importance, 1),
    )
    return MemoryIdView(memory_id=(await memory.add(given, group_id=group_id)).memory_id)


@toolset.tool("Search memory nodes", READS, alias_of="search_memory")
async def search_memory_nodes(
    memory: GraphMemory,
    query: parameters.Query,
    limit: parameters.Limit = 10,
    project_id: parameters.ProjectId = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use search_memory with profile=weighted."""
    return await core.search_memory(
        memory,
        query,
        limit,
        project_id=project_id,
        profile=Profile.WEIGHTED,
        detail=detail,
        group_id=group_id,
    )


@toolset.tool("Query memory", READS, alias_of="search_memory")
async def query_memory(
    memory: GraphMemory,
    query: parameters.Query,
    limit: parameters.Limit = 10,
    project_id: parameters.ProjectId = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use search_memory."""
    return await core.search_memory(
        memory, query, limit, project_id=project_id, detail=detail, group_id=group_id
    )


@toolset.tool("Search by type", READS, alias_of="list_memories")
async def search_by_type(
    memory: GraphMemory,
    memory_type: parameters.MemoryType,
    limit: parameters.Limit = 20,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use list_memories with memory_type."""
    return await core.list_memories(
        memory, memory_type, limit=limit, detail=detail, group_id=group_id
    )


@toolset.tool("Search by tags", READS, alias_of="list_memories")
async def search_by_tags(
    memory: GraphMemory,
    tags: parameters.Tags,
    limit: parameters.Limit = 20,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use list_memories with tags. One of them must match."""
    if not tags:
        raise InvalidArgumentError("tags", tags, "give at least one")
    return await core.list_memories(
        memory, tags=tags, limit=limit, detail=detail, group_id=group_id
    )


@toolset.tool("Search by date range", READS, alias_of="list_memories")
async def search_by_date_range(
    memory: GraphMemory,
    date_from: Annotated[Moment, Field(description="Earliest creation, ISO 8601.")],
    date_to: Annotated[
        EndMoment | None, Field(description="Latest creation, ISO 8601; default: now.")
    ] = None,
    limit: parameters.Limit = 50,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use list_memories with date_from, date_to and sort=created_at."""
    return await core.list_memories(
        memory,
        date_from=date_from,
        date_to=date_to or memory.clock(),
        sort=SortOrder.CREATED_AT,
        limit=limit,
        detail=detail,
        group_id=group_id,
    )


@toolset.tool("Get all memories", READS, alias_of="list_memories")
async def get_all_memories(
    memory: GraphMemory,
    limit: parameters.Limit = 50,
    cursor: parameters.Cursor = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use list_memories with sort=created_at, and next_cursor for all pages."""
    return await core.list_memories(
        memory,
        sort=SortOrder.CREATED_AT,
        limit=limit,
        cursor=cursor,
        detail=detail,
        group_id=group_id,
    )


@toolset.tool("Search the graph", READS, alias_of="memory_traverse", walks=True)
async def memory_graph_search(
    memory: GraphMemory,
    start_memory_id: Annotated[
        parameters.MemoryId | None, Field(description="Id of the first memory; or give query.")
    ] = None,
    query: Annotated[
        parameters.Query | None,
        Field(description="Question, whose best answer is the first memory."),
    ] = None,
    algorithm: traversal.Order = Algorithm.BFS,
    max_depth: traversal.MaxDepth = None,
    max_nodes: traversal.MaxNodes = None,
    relation_types: traversal.Only = None,
    types: parameters.MemoryTypes = None,
    tags: parameters.AnyTags = None,
    direction: traversal.Way = Direction.OUT,
    include_parent_links: traversal.Parents = False,
    time_budget_ms: traversal.Budget = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Use memory_traverse, after search_memory if you have no id."""
    return await traversal.memory_traverse(
        memory,
        start_memory_id or await _best(memory, query, group_id),
        algorithm=algorithm,
        max_depth=max_depth,
        max_nodes=max_nodes,
        relation_types=relation_types,
        types=types,
        tags=tags,
        direction=direction,
        include_parent_links=include_parent_links,
        time_budget_ms=time_budget_ms,
        detail=detail,
        group_id=group_id,
    )


async def _best(memory: GraphMemory, query: str | None, group_id: str | None) -> str:
    """Return the id of the best result for `query`."""
    if query is None:
        raise InvalidArgumentError("start_memory_id", None, "give it, or a query")
    found = await memory.search(query, limit=1, group_id=group_id)
    if not found:
        raise NotFoundError(query, memory.group(group_id))
    return found[0].memory.memory_id
