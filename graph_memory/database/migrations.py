"""The numbered migrations of the schema, each with its downgrade."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from graph_memory.database import data_migrations
from graph_memory.database.graph import Graph
from graph_memory.database.statements import statements


@dataclass(frozen=True, slots=True)
class DataMigration:
    """A conversion of stored data and its reverse; both may run repeatedly."""

    upgrade: Callable[[Graph], Awaitable[None]] | None  #: None if nothing is to be converted
    downgrade: Callable[[Graph], Awaitable[None]]
    statements: tuple[str, ...]  #: statements in the checksum


def creation_statement(name: str) -> str:
    """Return the name of the statement that creates a constraint (`..._key`) or an index."""
    folder = "constraints" if name.endswith("_key") else "indexes"
    return f"database/schema/{folder}/{name}"


@dataclass(frozen=True, slots=True)
class Migration:
    """One version of the schema: the constraints and indexes that it creates and drops.

    `dropped` names indexes of an earlier migration that are not needed any more. An older replica
    that knows such an index is not ready from then on, which a rolling upgrade does not survive.
    """

    version: int
    summary: str
    constraints: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    data_migration: DataMigration | None = None

    @property
    def checksum(self) -> str:
        """The first 16 digits of the SHA-256 of the statements; it detects a later edit."""
        objects = (*self.constraints, *self.indexes, *self.dropped)
        names = [creation_statement(name) for name in objects]
        if self.data_migration:
            names += self.data_migration.statements
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
            "memory_group_idx",  # a composite index does not serve its first property alone
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
        2, "full-text and vector search", indexes=("memory_text_idx", "memory_embedding_idx")
    ),
    Migration(3, "conversations", constraints=("conversation_key_key",)),
    Migration(
        4,
        "maintenance runs and their records",
        constraints=("maintenance_run_id_key",),
        indexes=(
            "memory_next_due_at_idx",
            "maintenance_change_run_idx",
            "purged_memory_uuid_idx",
        ),
    ),
    Migration(
        5,
        "compression of contents",
        indexes=("memory_packing_due_idx",),
        dropped=("memory_last_decay_update_idx",),
    ),
    Migration(6, "memories without a vector", indexes=("memory_embedding_model_idx",)),
    Migration(7, "access tokens", constraints=("access_token_id_key", "access_token_sha256_key")),
    Migration(
        8,
        "entities and facts of episodes",
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
        "stored properties as text",
        data_migration=DataMigration(
            data_migrations.upgrade, data_migrations.downgrade, data_migrations.STATEMENTS
        ),
    ),
    Migration(10, "records of purged memories", indexes=("purged_memory_group_idx",)),
    Migration(
        11,
        "deletion of groups",
        indexes=(
            "entity_before_group_idx",
            "maintenance_change_group_idx",
            "episode_group_id",
            "community_group_id",
            "saga_group_id",
        ),
    ),
    Migration(12, "adopted memories", indexes=("memory_adopted_at_idx",)),
    Migration(
        13,
        "notes of protection",
        indexes=("memory_is_protected_idx",),
        data_migration=DataMigration(
            data_migrations.note_protected,
            data_migrations.forget_protected,
            data_migrations.PROTECTION_STATEMENTS,
        ),
    ),
    Migration(
        14,
        "passages of long memories",
        indexes=("passage_embedding_idx",),
        data_migration=DataMigration(
            None,  # embedding fills them in later
            data_migrations.delete_passages,
            data_migrations.PASSAGE_STATEMENTS,
        ),
    ),
    Migration(
        15,
        "proposals and learning",
        constraints=("proposal_uuid_key",),
        indexes=(
            "proposal_group_idx",
            "proposal_run_idx",
            "proposal_decided_run_idx",
            "learning_change_run_idx",
            "learning_change_group_idx",
        ),
        data_migration=DataMigration(
            None,  # runs fill them in later
            data_migrations.unlearn,
            data_migrations.LEARNING_STATEMENTS,
        ),
    ),
    Migration(
        16,
        "entities that memories mention",
        constraints=("named_entity_uuid_key",),
        indexes=("named_entity_group_idx",),
        data_migration=DataMigration(
            None,  # runs fill them in later
            data_migrations.forget_entities,
            data_migrations.ENTITY_STATEMENTS,
        ),
    ),
    Migration(
        17,
        "tombstones of rejected and erased statements",
        constraints=("tombstone_key_key", "tombstone_uuid_key"),
        indexes=("tombstone_group_idx", "tombstone_bucket_idx"),
        data_migration=DataMigration(
            None,  # rejections and erasures leave them later
            data_migrations.forget_tombstones,
            data_migrations.TOMBSTONE_STATEMENTS,
        ),
    ),
    Migration(
        18,
        "writes that wait for a review",
        constraints=("pending_write_key_key",),
        indexes=("pending_write_group_idx",),
        data_migration=DataMigration(
            None,  # writes fill them in later
            data_migrations.forget_pending,
            data_migrations.PENDING_STATEMENTS,
        ),
    ),
    Migration(19, "values of rejected statements", indexes=("tombstone_mark_idx",)),
    Migration(20, "copies of memories", indexes=("memory_copied_from_idx",)),
    Migration(
        21,
        "lists in order of importance",
        indexes=("memory_group_importance_created_at_idx",),
    ),
    Migration(
        22,
        "batches in order of ids, and projects",
        indexes=("memory_group_uuid_idx", "memory_group_project_idx"),
    ),
)
