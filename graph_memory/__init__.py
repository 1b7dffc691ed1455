"""graph-memory: a Neo4j-native temporal knowledge-graph memory service for AI agents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.domain.inputs import Filters, MemoryChanges, NewMemory, NewRelation
    from graph_memory.domain.models import (
        FoundMemory,
        LifecycleState,
        Memory,
        MemoryType,
        Relation,
        RelationType,
    )
    from graph_memory.errors import GraphMemoryError
    from graph_memory.settings.base import Settings, read_settings

    __version__: str

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

_MODULES = {
    "api.service": ("GraphMemory",),
    "domain.inputs": ("Filters", "MemoryChanges", "NewMemory", "NewRelation"),
    "errors": ("GraphMemoryError",),
    "domain.models": (
        "FoundMemory",
        "LifecycleState",
        "Memory",
        "MemoryType",
        "Relation",
        "RelationType",
    ),
    "settings.base": ("Settings", "read_settings"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is: `graph-memory --help` needs neither driver nor model."""
    if name == "__version__":
        from importlib.metadata import version

        return version("graph-memory")
    if name in _HOMES:
        return getattr(import_module(f"graph_memory.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'graph_memory' has no attribute '{name}'")
