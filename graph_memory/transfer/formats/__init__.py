"""Import from other stores: their data becomes the lines that `import` reads.

A reader yields the contents of a file or folder in the terms of its store (`source`). `Translation`
turns them into lines. `import_export.import_lines` checks, stores and links these, as our own.
"""

import logging
from collections.abc import Mapping
from pathlib import Path

from graph_memory.errors import InvalidArgumentError
from graph_memory.transfer.formats.basic_memory import BASIC_MEMORY
from graph_memory.transfer.formats.doobidoo import DOOBIDOO
from graph_memory.transfer.formats.forgetful import FORGETFUL
from graph_memory.transfer.formats.longterm_memory import LONGTERM_MEMORY
from graph_memory.transfer.formats.mcp_ai_memory import MCP_AI_MEMORY
from graph_memory.transfer.formats.mcp_memory import MCP_MEMORY
from graph_memory.transfer.formats.mem0 import MEM0
from graph_memory.transfer.formats.preview import preview
from graph_memory.transfer.formats.source import Format
from graph_memory.transfer.formats.translate import Translation

__all__ = ["FORMATS", "Translation", "log_unknown_types", "preview", "translate"]

_log = logging.getLogger(__name__)

FORMATS: Mapping[str, Format] = {
    "mcp-memory": MCP_MEMORY,
    "mcp-ai-memory": MCP_AI_MEMORY,
    "doobidoo": DOOBIDOO,
    "basic-memory": BASIC_MEMORY,
    "mem0": MEM0,
    "forgetful": FORGETFUL,
    "longterm-memory": LONGTERM_MEMORY,
}


def translate(name: str, path: Path, group_id: str, owner: str | None = None) -> Translation:
    """Return the lines of a file or folder.

    Args:
        name: The format, a key of `FORMATS`.
        path: The file or folder.
        group_id: The tenant; the ids of memories depend on it.
        owner: A user of the source; memories of other users are left out. None for all.

    Raises:
        InvalidArgumentError: The format is unknown.
    """
    if name not in FORMATS:
        raise InvalidArgumentError("--from", name, f"the formats are {', '.join(FORMATS)}")
    return Translation(name, FORMATS[name], path, group_id, owner)


def log_unknown_types(lines: Translation) -> None:
    """Log the relation and memory types that the import replaced."""
    for name, count in lines.unknown_relation_types.items():
        _log.warning("Unknown relation type %r: %d stored as relates_to", name, count)
    for name, count in lines.unknown_memory_types.items():
        _log.warning("Unknown memory type %r: %d stored as general", name, count)
