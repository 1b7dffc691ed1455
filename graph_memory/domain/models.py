"""The domain's values: memories, relations and their vocabularies. No I/O."""

import re
from dataclasses import dataclass
from enum import StrEnum

from graph_memory.domain.encoding import JsonObject, StoredContent
from graph_memory.domain.timestamps import Instant

#: A hyphen would be split by the full-text analyser, and a tenant would see its neighbour's rows.
GROUP_ID_PATTERN = re.compile(r"[A-Za-z0-9_]{1,64}")


class MemoryType(StrEnum):
    """What kind of thing a memory holds."""

    GENERAL = "general"
    FACT = "fact"
    PREFERENCE = "preference"
    CONVERSATION = "conversation"
    TASK = "task"
    EPHEMERAL = "ephemeral"
    CONCEPT = "concept"
    PROCEDURE = "procedure"
    CONTEXT = "context"


class LifecycleState(StrEnum):
    """Where in its life a memory is."""

    ACTIVE = "ACTIVE"
    DORMANT = "DORMANT"
    ARCHIVED = "ARCHIVED"
    EXPIRED = "EXPIRED"
    SOFT_DELETED = "SOFT_DELETED"


class RelationType(StrEnum):
    """How one memory bears on another, read from the start of the edge to its end."""

    REFERENCES = "references"
    CONTRADICTS = "contradicts"
    SUPPORTS = "supports"
    EXTENDS = "extends"
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    PRECEDES = "precedes"
    FOLLOWS = "follows"
    PART_OF = "part_of"
    CONTAINS = "contains"
    RELATES_TO = "relates_to"
    DEPENDS_ON = "depends_on"
    LEADS_TO = "leads_to"
    SUPERSEDES = "supersedes"


class Source(StrEnum):
    """Who a memory comes from."""

    USER = "user"
    SYSTEM = "system"
    DERIVED = "derived"


class SortOrder(StrEnum):
    """How a list is ordered, best first; ties go to the newer, then to the smaller id."""

    IMPORTANCE = "importance"
    CREATED_AT = "created_at"


#: States a search serves when none are asked for.
RECALLED_STATES = (LifecycleState.ACTIVE, LifecycleState.DORMANT)

#: States a list serves when none are asked for.
LISTED_STATES = (*RECALLED_STATES, LifecycleState.ARCHIVED)

#: States a question about the past is answered from: what was superseded since has expired.
LASTING_STATES = (*LISTED_STATES, LifecycleState.EXPIRED)


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed, typed edge between two memories."""

    from_id: str
    to_id: str
    relation_type: str
    strength: float  #: 0 to 1
    fact: str
    metadata: JsonObject
    created_at: Instant
    valid_at: Instant | None
    invalid_at: Instant | None


@dataclass(frozen=True, slots=True)
class BriefMemory:
    """What is told of a memory among many; `Memory` tells the rest."""

    memory_id: str
    content: StoredContent
    memory_type: MemoryType
    tags: list[str]
    importance: float  #: 1 to 10
    lifecycle_state: LifecycleState
    created_at: Instant
    valid_at: Instant | None
    invalid_at: Instant | None


@dataclass(frozen=True, slots=True)
class Memory(BriefMemory):
    """One memory, as every tool and command shows it."""

    importance_source: str
    stability: int  #: 1 volatile to 5 permanent
    confidence: float | None  #: 0 to 1
    source: Source
    metadata: JsonObject
    group_id: str
    project_id: str | None
    conversation_id: str | None
    parent_id: str | None
    superseded_by: str | None  #: id of the memory that holds instead
    decay_score: float  #: 0 fresh to 1 gone
    protection: str | None  #: why it does not fade: until, tag, permanent
    preserve_until: Instant | None
    decay_policy: str | None
    decay_rate: float | None  #: per day
    access_count: int
    last_accessed_at: Instant | None
    updated_at: Instant


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that answers a question, and why it ranks where it does."""

    memory: Memory
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1
    components: dict[str, float | None]
