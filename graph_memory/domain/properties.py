"""Stored properties of memories and relations: names, types and meanings.

Views, export, import, adoption and the reference page read these tables.
"""

from collections.abc import Mapping

#: Keys with a meaning of their own on an entity of Graphiti; metadata may not use them.
RESERVED_KEYS = frozenset(
    ("uuid", "name", "group_id", "labels", "created_at", "summary", "attributes", "name_embedding")
)

#: Properties of a memory beside those of Graphiti's entities: type and meaning. Graphiti neither
#: reads nor writes them. The reference page on stored properties is written from this table.
MEMORY_PROPERTIES: Mapping[str, str] = {
    "access_count": "integer — how often the memory was used",
    "adopted_at": "instant — when an entity of Graphiti became a memory",
    "adopted_hash": "text — content_hash of the content last taken from Graphiti",
    "attachments_json": "text — the attachments as JSON; null for none",
    "brief_json": "text — places of the sentences that answered most, in a long content, as JSON",
    "centrality": "float, 0 to 1 — how central the memory is among the relations of its group",
    "classification_attempts": "integer — answers of the language model without a rating",
    "classification_status": "text — done, pending or off",
    "cluster_id": "text — cluster of related memories that the memory is in",
    "cluster_label": "text — words of the cluster, on its most central memory",
    "confidence": "float, 0 to 1 — how certain the statement is",
    "confidence_decayed_at": "instant — when a scan last lowered the confidence",
    "content": "text — the statement; null while it is compressed",
    "content_gz": "text — the content, compressed with gzip and written in base64",
    "content_hash": "text — SHA-256 of the content, in hexadecimal",
    "conversation_id": "text — conversation",
    "copied_from": "text — memory of which an import made this one",
    "decay_policy": "text — the memory's own policy",
    "decay_rate": "float, per day — the memory's own rate, for the policy adaptive",
    "decay_score": "float, 0 to 1 — 0 fresh, 1 gone; as of last_decay_update",
    "dedup_key": "text, unique — group and hash; null while the memory is deleted",
    "edit_history": "list of text — the latest changes of other values, with the cause, as JSON",
    "embedding": "list of float — vector of the content",
    "embedding_dimension": "integer — width of the vector",
    "embedding_model": "text — model of the vector",
    "ended_at": "instant — when the graph learned that it ended",
    "group_key": "text — digits for the group in the full-text index",
    "held_until": "instant — until when runs leave it alone after an undo",
    "importance": "float, 1 to 10 — how much the memory matters",
    "importance_source": "text — user, llm, fallback, default or reinforced",
    "invalid_at": "instant — until when it is true",
    "is_compressed": "boolean — whether the content is compressed",
    "is_protected": "boolean — whether it was protected when it was last scheduled",
    "last_accessed_at": "instant — when it was last used",
    "last_decay_update": "instant — when the score was stored",
    "lifecycle_state": "text — ACTIVE, DORMANT, ARCHIVED, EXPIRED or SOFT_DELETED",
    "memory_type": "text — one of nine types",
    "mention_count": "integer — entities found in the content",
    "mentions_hash": "text — rules and content_hash with which entities were last looked for",
    "metadata_json": "text — the metadata as JSON",
    "name_embedding_model": "text — model of the vector that Graphiti compares",
    "near_json": "text — memories nearest to a text and by a model, with cosines, as JSON",
    "next_due_at": "instant — when maintenance next has something to do",
    "obsolete_at": "instant — when the memory was marked obsolete",
    "obsolete_reason": "text — why",
    "passage_count": "integer — passages of the content; 0 for a short one",
    "origin_authority": "text — person, agent, tool, import or derived; the way in sets it",
    "origin_caller": "text — the token or process that wrote the content",
    "origin_id": "text — the import, run or job of an episode that wrote the content",
    "origin_way_in": "text — the tool, command or stage that wrote the content, or Python",
    "packing_due": "boolean — whether a run compresses or unpacks the content",
    "preserve_until": "instant — until when the memory does not fade",
    "project_id": "text — project",
    "proposed_hash": "text — content_hash of the content for which proposals were last made",
    "reinforcement_pending": "integer — accesses that typed_importance has yet to add",
    "soft_deleted_at": "instant — when the memory was deleted",
    "source": "text — user, system or derived",
    "stability": "integer, 1 to 5 — how long the statement stays true",
    "stability_source": "text — user, llm, fallback or default",
    "state_changed_at": "instant — when the state last changed",
    "state_history": "list of text — the latest 20 changes, as JSON",
    "state_reason": "text — why it changed",
    "tags": "list of text — labels",
    "unprotected_at": "instant — when its protection ended",
    "updated_at": "instant — when a caller last changed the memory",
    "valid_at": "instant — since when the statement is true",
}

#: Properties of a relation beside those of Graphiti's edges: type and meaning.
FACT_PROPERTIES: Mapping[str, str] = {
    "adopted_at": "instant — when a fact of Graphiti became a relation",
    "edge_key": "text, unique — the ends and the type; null after its end",
    "embedding_model": "text — model of the vector that Graphiti compares",
    "group_key": "text — digits for the group in the full-text index",
    "had_vector": "boolean — whether it had a vector before its adoption",
    "last_used_at": "instant — when both memories were last used together, as learned",
    "learned_strength": "float, 0 to 1 — how strong it is by use; it counts in place of strength",
    "metadata_json": "text — the metadata as JSON",
    "origin_authority": "text — person, agent, tool, import or derived; the way in sets it",
    "origin_caller": "text — the token or process that wrote it",
    "origin_id": "text — the import, run or job of an episode that wrote it",
    "origin_way_in": "text — the tool, command or stage that wrote it, or Python",
    "original_relation_type": "text — the type in an imported store, if it was unknown",
    "past_used_at": "instant — when a session that was removed since last used both memories",
    "past_uses": "integer — sessions that used both memories, and were removed since",
    "strength": "float, 0 to 1 — how strong the relation is, as given",
    "use_count": "integer — sessions that used both memories, as learned",
    "was_fact_embedding": "list of float — the vector it had before its adoption",
}

#: Properties that hold the values that a fact had under our names before its adoption.
SET_ASIDE_PROPERTIES = tuple(f"was_{name}" for name in FACT_PROPERTIES)

#: Graphiti's own fields of a fact; a property that is neither theirs nor ours is an attribute.
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

#: Labels of the data model; all other labels are kinds of entities.
STRUCTURAL_LABELS = frozenset(("Entity", "Memory", "PurgedMemory"))
