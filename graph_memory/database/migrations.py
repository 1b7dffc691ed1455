"""The numbered steps of the database's schema, each with its way back."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from graph_memory.database import data_migrations
from graph_memory.database.graph import Graph
from graph_memory.database.statements import statements


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How a step stores in another form what is there, and its way back; both can be repeated."""

    up: Callable[[Graph], Awaitable[None]]
    down: Callable[[Graph], Awaitable[None]]
    statements: tuple[str, ...]  #: that do it


def creation_statement(name: str) -> str:
    """Return the statement that creates a constraint or an index; constraints end in `_key`."""
    folder = "constraints" if name.endswith("_key") else "indexes"
    return f"database/schema/{folder}/{name}"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema; each name is a constraint or index and the statement that creates it.

    `dropped` are indexes of an earlier step that nothing needs any more.
    """

    version: int
    summary: str
    constraints: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    rewriting: Rewriting | None = None

    @property
    def checksum(self) -> str:
        """SHA-256 of the statements, shortened; tells a migration edited after its release."""
        objects = (*self.constraints, *self.indexes, *self.dropped)
        names = [creation_statement(name) for name in objects]
        if self.rewriting:
            names += self.rewriting.statements
        texts = "\n".join(statements()[name].text for name in names)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]


MIGRATIONS = (
    Migration(
        1,
        "memories, relations and their uniqueness",
        constraints=(
            "schema_migration_version_key",
            "control_key_key",
            "memory_uuid_key",
            "memory_dedup_key",
            "relation_edge_key",
            "session_id_key",
        ),
        indexes=(
            "memory_group_idx",  # a composite index serves no search by its first property alone
            "memory_group_state_idx",
            "memory_group_type_idx",
            "memory_group_created_at_idx",
            "memory_group_importance_idx",
            "memory_conversation_idx",
            "memory_importance_idx",
            "memory_last_accessed_at_idx",
            "memory_last_decay_update_idx",
            "memory_soft_deleted_at_idx",
            "memory_content_hash_idx",
            "memory_classification_status_idx",
            "relation_name_idx",
        ),
    ),
    Migration(
        2, "search by words and by meaning", indexes=("memory_text_idx", "memory_embedding_idx")
    ),
    Migration(3, "conversations", constraints=("conversation_key_key",)),
    Migration(
        4,
        "what runs do, and when",
        constraints=("maintenance_run_id_key",),
        indexes=(
            "memory_next_due_at_idx",
            "maintenance_change_run_idx",
            "purged_memory_uuid_idx",
        ),
    ),
    Migration(
        5,
        "which contents to compress, or to restore",
        indexes=("memory_packing_due_idx",),
        dropped=("memory_last_decay_update_idx",),
    ),
    Migration(6, "which memories lack a vector", indexes=("memory_embedding_model_idx",)),
    Migration(7, "who may call", constraints=("access_token_id_key", "access_token_sha256_key")),
    Migration(
        8,
        "entities and facts that Graphiti finds in episodes",
        constraints=("episode_job_key", "episode_queue_key"),
        indexes=(
            "entity_uuid",
            "entity_group_id",
            "entity_group_name_idx",
            "entity_name_embedding_idx",
            "entity_before_idx",
            "relation_uuid",
            "relation_group_id",
            "fact_embedding_idx",
            "fact_text_idx",
            "episode_uuid",
            "episode_job_status_idx",
            "episode_job_group_idx",
        ),
    ),
    Migration(
        9,
        "memories that Graphiti can put into its prompts",
        rewriting=Rewriting(
            data_migrations.bring_up, data_migrations.bring_down, data_migrations.STATEMENTS
        ),
    ),
    Migration(10, "what purging has left of a group", indexes=("purged_memory_group_idx",)),
    Migration(
        11,
        "what else is to be erased with a group",
        indexes=(
            "entity_before_group_idx",
            "maintenance_change_group_idx",
            "episode_group_id",
            "community_group_id",
            "saga_group_id",
        ),
    ),
)
