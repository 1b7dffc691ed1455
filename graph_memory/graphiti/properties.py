"""The properties that turn an entity of Graphiti into a memory."""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from graph_memory.domain.encoding import group_key
from graph_memory.domain.properties import STRUCTURAL_LABELS
from graph_memory.memories.classification import MIDDLE
from graph_memory.settings.base import Settings

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def entity_content(name: str, summary: str | None) -> str:
    """Return the content of an entity's memory, as `cypher/fragments/memory/entity_text` does."""
    return f"{name}: {summary}" if summary else name


def entity_hash(entity_id: str, content: str) -> str:
    """Return the content hash of an entity's memory.

    Two entities may have the same content, so the hash covers the id as well.
    """
    return hashlib.sha256(f"{entity_id}\n{content}".encode()).hexdigest()


def memory_properties(
    entity_id: str,
    group_id: str,
    name: str,
    summary: str | None,
    labels: Iterable[str],
    settings: Settings,
) -> dict[str, Any]:
    """Return the row that `cypher/fragments/memory/fill` reads for an entity."""
    content = entity_content(name, summary)
    kinds = sorted(set(labels) - STRUCTURAL_LABELS)
    return {
        "group_key": group_key(group_id),
        "content": content,
        "content_hash": entity_hash(entity_id, content),
        "tags": [_WORD.sub(" ", kind).strip().lower() for kind in kinds],
        "importance": MIDDLE.importance,
        "importance_source": "fallback",
        "stability": MIDDLE.stability,
        "classification_status": "pending" if settings.classifies else "off",
    }
