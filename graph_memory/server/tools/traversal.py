"""The part of the graph toolset for traversal and graph analysis."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import (
    Algorithm,
    AlgorithmName,
    Depth,
    Direction,
    DirectionName,
    Milliseconds,
    NodeCount,
    RelationTypes,
    Top,
)
from graph_memory.server import parameters
from graph_memory.server.schemas import UNLISTED, Unlisted
from graph_memory.server.tool import READS, Toolset
from graph_memory.server.views.lean import Detail, FullView, LeanTraversal, LeanView
from graph_memory.server.views.traversal import AnalysisView, TraversalView

toolset = Toolset()

Order = Annotated[AlgorithmName, Field(description="Breadth-first or depth-first.")]
MaxDepth = Annotated[Depth | None, Field(description="Most relations in a path; default: 3.")]
MaxNodes = Annotated[
    NodeCount | None,
    Field(description="Maximum number of memories; default: 100."),
    parameters.NUMBER,
]
Only = Annotated[
    RelationTypes | None,
    Field(description="Types to follow."),
    parameters.WORDS,
]
Way = Annotated[DirectionName, Field(description="Direction of relations.")]
Parents = Annotated[bool, Field(description="True: also follow parent_id.")]
Entities = Annotated[
    bool, Field(description="True: also walk to memories that mention the same entity.")
]
Budget = Annotated[
    Milliseconds | None, Field(description="Time limit in ms; default: none."), parameters.NUMBER
]


@toolset.tool("Walk along relations", READS, walks=True)
async def memory_traverse(
    memory: GraphMemory,
    start_memory_id: parameters.MemoryId,
    algorithm: Unlisted[Order] = Algorithm.BFS,
    max_depth: MaxDepth = None,
    max_nodes: Unlisted[MaxNodes] = None,
    relation_types: Only = None,
    types: Unlisted[parameters.MemoryTypes] = None,
    tags: parameters.AnyTags = None,
    states: Annotated[
        parameters.States, Field(description="Allowed states; default: all."), UNLISTED
    ] = None,
    direction: Way = Direction.OUT,
    include_parent_links: Unlisted[Parents] = False,
    through_entities: Unlisted[Entities] = False,
    time_budget_ms: Unlisted[Budget] = None,
    counted: Unlisted[parameters.Counted] = False,
    as_of: parameters.AsOf = None,
    known_at: Unlisted[parameters.KnownAt] = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Walk from a memory to connected ones when you need causes, parts or context."""
    walked = await memory.relations.traverse(
        start_memory_id,
        group_id=group_id,
        algorithm=algorithm,
        max_depth=max_depth,
        max_nodes=max_nodes,
        relation_types=relation_types,
        types=types,
        tags=tags,
        states=states,
        direction=direction,
        include_parent_links=include_parent_links,
        through_entities=through_entities,
        time_budget_ms=time_budget_ms,
        counted=counted,
        as_of=as_of,
        known_at=known_at,
    )
    lean = LeanTraversal(walked)
    return lean if detail is Detail.LEAN else FullView(lean, TraversalView.of(walked))


@toolset.tool("Analyse the graph", READS, walks=True)
async def memory_graph_analysis(
    memory: GraphMemory,
    memory_id: Annotated[
        parameters.MemoryId | None,
        Field(description="Memory to look around; default: all."),
    ] = None,
    top: Annotated[
        Top, Field(description="Number of connectors and bridges to list."), UNLISTED
    ] = 10,
    as_of: Unlisted[parameters.AsOf] = None,
    known_at: Unlisted[parameters.KnownAt] = None,
    group_id: parameters.GroupId = None,
) -> AnalysisView:
    """Analyse relations when you need an overview: degrees, types, connectors, bridges, islands."""
    analysis = await memory.relations.analyze(
        memory_id, top=top, as_of=as_of, known_at=known_at, group_id=group_id
    )
    return AnalysisView.of(analysis)
