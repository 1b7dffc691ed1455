"""The tools' parameters: the argument types of `arguments`, with what an agent reads about each."""

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from graph_memory.domain.inputs import (
    Content,
    DecayRate,
    GroupId,
    Importance,
    Line,
    MemoryId,
    Metadata,
    NewRelation,
    PolicyName,
    Question,
    SourceName,
    Stability,
    StateName,
    Tags,
    TypeName,
    Unit,
)
from graph_memory.domain.models import SortOrder
from graph_memory.domain.timestamps import EndMoment, Moment
from graph_memory.ranking.profiles import Profile

#: A vocabulary is spelled out where memories and relations are made, and only there.
WORD = WithJsonSchema({"type": "string"})
WORDS = WithJsonSchema({"type": "array", "items": {"type": "string"}})

#: A number whose range is wide, and told where it is exceeded.
NUMBER = WithJsonSchema({"type": "integer"})
REAL = WithJsonSchema({"type": "number"})

Group = Annotated[GroupId | None, Field(description="Tenant.")]
Id = Annotated[MemoryId, Field(description="Memory id.")]

Text = Annotated[Content, Field(description="One self-contained statement.")]
Type = Annotated[TypeName, Field(description="Its kind.")]
TagList = Annotated[Tags, Field(description="Labels.")]
Details = Annotated[Metadata, Field(description="At most 64 KiB.")]
Weight = Annotated[Importance | None, Field(description="1 trivial to 10 vital; clamped.")]
Durability = Annotated[Stability | None, Field(description="1 volatile to 5 permanent.")]
Confidence = Annotated[Unit | None, Field(description="How sure.")]
Origin = Annotated[SourceName, Field(description="From whom.")]
Project = Annotated[Line | None, Field(description="Project.")]
Talk = Annotated[Line | None, Field(description="Conversation it continues.")]
Parent = Annotated[MemoryId | None, Field(description="What it is part of.")]
Relationships = Annotated[
    tuple[NewRelation, ...],
    Field(
        max_length=100,
        description="Each target_id, and as in memory_relate.",
    ),
    WithJsonSchema({"type": "array", "items": {"type": "object"}}),
]
Policy = Annotated[PolicyName | None, Field(description="How it fades.")]
Rate = Annotated[DecayRate | None, Field(description="A day, for adaptive.")]
Batch = Annotated[
    list[dict[str, Any]],
    Field(description="Each with the arguments of add_memory; also created_at, memory_id."),
]

NewText = Annotated[Content | None, Field(description="New text; the old is kept.")]
NewType = Annotated[TypeName | None, Field(description="Its kind."), WORD]
NewTags = Annotated[Tags | None, Field(description="Replace the labels.")]
NewDetails = Annotated[Metadata | None, Field(description="Replace the metadata.")]

Query = Annotated[Question, Field(description="In plain language.")]
Ranking = Annotated[
    Profile,
    Field(description="recall: meaning, words; weighted: + recency, importance; hybrid: + graph."),
]
Weights = Annotated[tuple[float, ...] | None, Field(description="Of weighted or hybrid; sum 1.")]
Limit = Annotated[int, Field(ge=1, le=50, description="At most.")]
Types = Annotated[tuple[TypeName, ...] | None, Field(description="Only these types."), WORDS]
OneType = Annotated[TypeName | None, Field(description="Only this type."), WORD]
AnyTag = Annotated[Tags | None, Field(description="Any of these tags.")]
Since = Annotated[Moment | None, Field(description="Created since.")]
Until = Annotated[EndMoment | None, Field(description="Created until.")]
AsOf = Annotated[Moment | None, Field(description="True then; ISO 8601.")]
KnownAt = Annotated[Moment | None, Field(description="Known then.")]
TrueFrom = Annotated[Moment | None, Field(description="True since; default now. ISO 8601.")]
TrueUntil = Annotated[Moment | None, Field(description="True until.")]
Living = Annotated[
    tuple[StateName, ...] | None, Field(description="Default: ACTIVE, DORMANT."), WORDS
]
Listable = Annotated[
    tuple[StateName, ...] | None, Field(description="Default: ACTIVE, DORMANT, ARCHIVED."), WORDS
]
Order = Annotated[SortOrder, Field(description="Highest or newest first.")]
Cursor = Annotated[str | None, Field(description="The last next_cursor.")]

Forever = Annotated[bool, Field(description="True: no recovery.")]
