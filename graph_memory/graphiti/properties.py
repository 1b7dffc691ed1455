"""What makes a memory of an entity that Graphiti found, and which properties are whose."""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from graph_memory.domain.encoding import group_key
from graph_memory.memories.classification import MIDDLE
from graph_memory.settings.base import Settings

#: The properties of an entity that are ours: Graphiti neither sees nor writes them.
MEMORY_PROPERTIES = (
    "access_count",
    "adopted_at",
    "classification_attempts",
    "classification_status",
    "confidence",
    "confidence_decayed_at",
    "content",
    "content_gz",
    "content_hash",
    "conversation_id",
    "decay_policy",
    "decay_rate",
    "decay_score",
    "dedup_key",
    "embedding",
    "embedding_dimension",
    "embedding_model",
    "ended_at",
    "group_key",
    "importance",
    "importance_source",
    "invalid_at",
    "is_compressed",
    "last_accessed_at",
    "last_decay_update",
    "lifecycle_state",
    "memory_type",
    "metadata_json",
    "name_embedding_model",
    "next_due_at",
    "obsolete_at",
    "obsolete_reason",
    "packing_due",
    "preserve_until",
    "project_id",
    "reinforcement_pending",
    "soft_deleted_at",
    "source",
    "stability",
    "stability_source",
    "state_changed_at",
    "state_history",
    "state_reason",
    "tags",
    "updated_at",
    "valid_at",
)

#: The same of a relation.
FACT_PROPERTIES = (
    "adopted_at",
    "edge_key",
    "embedding_model",
    "group_key",
    "had_vector",
    "metadata_json",
    "original_relation_type",
    "strength",
    "was_fact_embedding",
)

#: Where of a fact is set aside what had one of our names.
SET_ASIDE_PROPERTIES = tuple(f"was_{name}" for name in FACT_PROPERTIES)

#: What Graphiti itself has of a fact; what is neither its nor ours is an attribute.
GRAPHITI_FACT_FIELDS = (
    "uuid",
    "name",
    "fact",
    "group_id",
    "episodes",
    "fact_embedding",
    "created_at",
    "expired_at",
    "valid_at",
    "invalid_at",
    "reference_time",
    "attributes",
    "source_node_uuid",
    "target_node_uuid",
    "source_uuid",
    "target_uuid",
)

#: Labels that say nothing of what an entity is.
STRUCTURAL = frozenset(("Entity", "Memory", "PurgedMemory"))

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def entity_content(name: str, summary: str | None) -> str:
    """Return the content of an entity's memory, as `cypher/fragments/memory/entity_text` does."""
    return f"{name}: {summary}" if summary else name


def memory_properties(
    entity_id: str,
    group_id: str,
    name: str,
    summary: str | None,
    labels: Iterable[str],
    settings: Settings,
) -> dict[str, Any]:
    """Return what `cypher/fragments/memory/fill` gives an entity that lacks it.

    Two entities may read alike, so what makes one unique is its id together with its content.
    """
    content = entity_content(name, summary)
    kinds = sorted(set(labels) - STRUCTURAL)
    return {
        "group_key": group_key(group_id),
        "content": content,
        "content_hash": hashlib.sha256(f"{entity_id}\n{content}".encode()).hexdigest(),
        "tags": [_WORD.sub(" ", kind).strip().lower() for kind in kinds],
        "importance": MIDDLE.importance,
        "importance_source": "fallback",
        "stability": MIDDLE.stability,
        "classification_status": "pending" if settings.classifies else "off",
    }
