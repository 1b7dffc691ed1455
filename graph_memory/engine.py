"""The resources of operations on memories: database, embedding model and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.database.graph import Graph
from graph_memory.inference.embedder import Embedder
from graph_memory.ranking.other_names import NO_NAMES, OtherNames
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class Engine:
    """A database, an embedding model and the settings.

    An operation that needs nothing but the database takes a `Graph` instead. `names` are the other
    names of what a group mentions, `learned` its learned weights by setting;
    `Context.ranking_engine` fills them for searches.
    """

    graph: Graph
    embedder: Embedder
    settings: Settings
    names: OtherNames = NO_NAMES
    learned: Mapping[str, float] = field(default_factory=dict[str, float])
