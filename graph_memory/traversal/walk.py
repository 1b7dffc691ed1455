"""What a walk along relations is told, and what it brings back. No I/O."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from graph_memory.domain.inputs import RelationName, StateName, Tags, TypeName
from graph_memory.domain.models import BriefMemory, Memory
from graph_memory.domain.timestamps import Moment, instant

Reason = Literal["depth", "nodes", "time"]


class Algorithm(StrEnum):
    """The order in which a walk visits memories."""

    BFS = "bfs"
    DFS = "dfs"


class Direction(StrEnum):
    """Which way relations are walked: from start to end, from end to start, or both."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


def _folded(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


AlgorithmName = Annotated[Algorithm, BeforeValidator(_folded)]
DirectionName = Annotated[Direction, BeforeValidator(_folded)]
Depth = Annotated[int, Field(ge=1, le=5)]
NodeCount = Annotated[int, Field(ge=1, le=1000)]
Top = Annotated[int, Field(ge=1, le=100)]
Milliseconds = Annotated[int, Field(ge=1, le=60_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How to walk and what to bring back; None allows all, or means the default."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    algorithm: AlgorithmName = Algorithm.BFS
    max_depth: Depth | None = None  #: 3 by default
    max_nodes: NodeCount | None = None  #: 100 by default
    relation_types: tuple[RelationName, ...] | None = None  #: the only ones walked
    types: tuple[TypeName, ...] | None = None  #: returned; others are passed through
    tags: Tags | None = None  #: any of them returned; others are passed through
    states: tuple[StateName, ...] | None = None  #: returned; others are passed through
    direction: DirectionName = Direction.OUT
    include_parent_links: bool = False
    time_budget_ms: Milliseconds | None = None
    as_of: Moment | None = None  #: what was true in the world then
    known_at: Moment | None = None  #: what this graph knew then

    def parameters(self, group_id: str, now: datetime) -> dict[str, Any]:
        """Return what `cypher/traversal/traverse/steps.cypher` is told of the walk as a whole."""
        return {
            "group_id": group_id,
            "relation_types": list(self.relation_types) if self.relation_types else None,
            "outgoing": self.direction is not Direction.IN,
            "incoming": self.direction is not Direction.OUT,
            "parent_links": self.include_parent_links,
            "types": list(self.types) if self.types else None,
            "tags": [tag.lower() for tag in self.tags] if self.tags else None,
            "states": list(self.states) if self.states else None,
            "now": instant(now),
            "as_of": instant(self.as_of) if self.as_of else None,
            "known_at": instant(self.known_at) if self.known_at else None,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """A relation as it was walked."""

    from_id: str
    to_id: str
    relation_type: str
    strength: float  #: 0 to 1
    forward: bool  #: false: `from_id` is the relation's end
    wanted: bool  #: whether the filters let the memory reached be returned


@dataclass(frozen=True, slots=True)
class WalkedRelation:
    """A relation, from its start to its end, by which a walk came to a memory."""

    from_id: str
    to_id: str
    relation_type: str  #: of a parent link `has_parent`, or `parent_of` where it led to a child
    strength: float  #: 0 to 1


@dataclass(frozen=True, slots=True)
class FadingMemory(BriefMemory):
    """A memory in brief, and how far it has faded."""

    decay_score: float  #: 0 fresh to 1 gone


@dataclass(frozen=True, slots=True)
class ReachedMemory(FadingMemory):
    """A memory that a walk came to."""

    depth: int  #: relations from the start, 1 or more
    path: list[str]  #: ids, the start first, this memory last


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk brought back."""

    start: Memory
    nodes: list[ReachedMemory]  #: in the order of the walk
    edges: list[WalkedRelation]  #: on the paths to the nodes, in the order of the walk
    truncated: bool
    reason: Reason | None  #: which bound ended it
