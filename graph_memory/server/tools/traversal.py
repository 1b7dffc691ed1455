"""The graph toolset's walks: along relations from a memory, and what holds a graph together."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import RelationName
from graph_memory.server import parameters
from graph_memory.server.tool import PURE_READS, READS, Toolset
from graph_memory.server.views.traversal import Analysed, TraversalView
from graph_memory.traversal.traverse import (
    Algorithm,
    AlgorithmName,
    Depth,
    Direction,
    DirectionName,
    Milliseconds,
    NodeCount,
    Top,
)

toolset = Toolset()

Order = Annotated[AlgorithmName, Field(description="Breadth or depth first.")]
MaxDepth = Annotated[Depth | None, Field(description="Relations walked; default 3.")]
MaxNodes = Annotated[
    NodeCount | None, Field(description="Memories returned; default 100."), parameters.NUMBER
]
Only = Annotated[
    tuple[RelationName, ...] | None,
    Field(description="Only along these."),
    parameters.WORDS,
]
Way = Annotated[DirectionName, Field(description="Along, against, or both.")]
Parents = Annotated[bool, Field(description="Also from child to parent.")]
Budget = Annotated[Milliseconds | None, Field(description="Stop after, in ms."), parameters.NUMBER]


@toolset.tool("Walk along relations", READS, walks=True)
async def memory_traverse(
    memory: GraphMemory,
    start_memory_id: parameters.Id,
    algorithm: Order = Algorithm.BFS,
    max_depth: MaxDepth = None,
    max_nodes: MaxNodes = None,
    relation_types: Only = None,
    types: parameters.Types = None,
    tags: parameters.AnyTag = None,
    states: Annotated[parameters.Living, Field(description="Default: all.")] = None,
    direction: Way = Direction.OUT,
    include_parent_links: Parents = False,
    time_budget_ms: Budget = None,
    as_of: parameters.AsOf = None,
    known_at: parameters.KnownAt = None,
    group_id: parameters.Group = None,
) -> TraversalView:
    """Walk from a memory, strongest relations first; each comes in brief, with its path.

    Filters select what is returned; others are passed through.
    """
    walked = await memory.traverse(
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
        time_budget_ms=time_budget_ms,
        as_of=as_of,
        known_at=known_at,
    )
    return TraversalView.of(walked)


@toolset.tool("Analyse the graph", PURE_READS, walks=True)
async def memory_graph_analysis(
    memory: GraphMemory,
    memory_id: Annotated[
        parameters.Id | None, Field(description="Only around it; default: all.")
    ] = None,
    top: Annotated[Top, Field(description="How many to name.")] = 10,
    as_of: parameters.AsOf = None,
    known_at: parameters.KnownAt = None,
    group_id: parameters.Group = None,
) -> Analysed:
    """Degrees, relations by type, top connectors, bridges (removal parts the graph), islands."""
    analysis = await memory.analyze(
        memory_id, top=top, as_of=as_of, known_at=known_at, group_id=group_id
    )
    return Analysed(**{name: getattr(analysis, name) for name in Analysed.model_fields})
