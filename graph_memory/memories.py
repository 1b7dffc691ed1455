"""The domain's values: memories, relations and their vocabularies. No I/O."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema


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

_NAME_CHARACTERS = 80
_SUMMARY_CHARACTERS = 500


def instant(moment: datetime) -> str:
    """Return `moment` as stored: ISO 8601, UTC, milliseconds, fixed width; naive means UTC.

    The fixed width makes the strings compare and index as the instants do.
    """
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def group_key(group_id: str) -> str:
    """Return the digits that stand for a group in the full-text index.

    The analyser would lower-case, stem or drop the plain id, and mix groups up.
    """
    return str(int.from_bytes(hashlib.sha256(group_id.encode()).digest()[:8], "big"))


def _object(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


def packed(content: str) -> str:
    """Return a content compressed: text, as Graphiti's prompts hold no bytes of an entity."""
    return base64.b64encode(gzip.compress(content.encode(), mtime=0)).decode()


def unpacked(text: str) -> str:
    """Return the content that `packed` has compressed."""
    return gzip.decompress(base64.b64decode(text)).decode()


def whole(content: str | list[str]) -> str:
    """Return a content that may come in a list: compressed, as that of an archived memory is."""
    return unpacked(content[0]) if isinstance(content, list) else content


def default_title(content: str) -> str:
    """Return the title of a memory that was given none."""
    return " ".join(content.split())[:_NAME_CHARACTERS]


def lead(content: str) -> str:
    """Return the beginning of a content, which stands for it where the whole is not needed."""
    return content[:_SUMMARY_CHARACTERS]


def metadata_json(metadata: Mapping[str, Any]) -> str:
    """Return metadata as stored; Neo4j properties hold no maps."""
    return json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)


#: Answers show the same instants again and again, dozens in each.
_shown = lru_cache(maxsize=10_000)(instant)

#: A content, whether it is stored compressed or not.
WholeText = Annotated[str, BeforeValidator(whole)]

Instant = Annotated[
    datetime,
    PlainSerializer(_shown, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
JsonObject = Annotated[dict[str, Any], BeforeValidator(_object)]


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
    content: WholeText
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
