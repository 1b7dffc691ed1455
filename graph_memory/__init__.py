"""graph-memory: a Neo4j-native temporal knowledge-graph memory service for AI agents."""

from importlib.metadata import version

from graph_memory.api import GraphMemory
from graph_memory.arguments import Filters, MemoryChanges, NewMemory, NewRelation
from graph_memory.errors import GraphMemoryError
from graph_memory.memories import (
    FoundMemory,
    LifecycleState,
    Memory,
    MemoryType,
    Relation,
    RelationType,
)
from graph_memory.settings import Settings, read_settings

__version__ = version("graph-memory")

__all__ = [
    "Filters",
    "FoundMemory",
    "GraphMemory",
    "GraphMemoryError",
    "LifecycleState",
    "Memory",
    "MemoryChanges",
    "MemoryType",
    "NewMemory",
    "NewRelation",
    "Relation",
    "RelationType",
    "Settings",
    "__version__",
    "read_settings",
]
