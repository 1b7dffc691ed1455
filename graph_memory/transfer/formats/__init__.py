"""Bring your graph: stores of other makers, told as the lines that `import` reads.

A reader tells what a file or folder holds in its own terms (`source`); `Translation` turns that
into lines; `archive.import_lines` checks, stores and links them, as it does with our own.
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
        name: A key of `FORMATS`.
        path: The file or folder.
        group_id: Where the lines will go; the same memory has another id in another group.
        owner: A user of the source; memories of others are left out.

    Raises:
        InvalidArgumentError: There is no such format.
    """
    if name not in FORMATS:
        raise InvalidArgumentError("--from", name, f"there are {', '.join(FORMATS)}")
    return Translation(name, FORMATS[name], path, group_id, owner)


def log_unknown_types(lines: Translation) -> None:
    """Write down, for whoever audits the import, which names were not ours."""
    for name, count in lines.unknown_relation_types.items():
        _log.warning("relation type %r is none of ours: %d now relates_to", name, count)
    for name, count in lines.unknown_memory_types.items():
        _log.warning("memory type %r is none of ours: %d now general", name, count)
