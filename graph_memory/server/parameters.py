"""The parameters of the tools: argument types with the descriptions that an agent reads.

A description gives a noun, the unit or format, and the default. The schema has the range.
"""

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from graph_memory.api.types import Profile
from graph_memory.domain import attachments, inputs
from graph_memory.domain.models import ResultOrder, SortOrder
from graph_memory.domain.timestamps import EndMoment, Moment
from graph_memory.server.views.lean import Detail

#: The schemas of add_memory and memory_relate list the allowed words; other schemas take any text.
WORD = WithJsonSchema({"type": "string"})
WORDS = WithJsonSchema({"type": "array", "items": {"type": "string"}})

#: Numbers with a wide range, which only the error message names.
NUMBER = WithJsonSchema({"type": "integer"})
REAL = WithJsonSchema({"type": "number"})

GroupId = Annotated[inputs.GroupId | None, Field(description="Tenant id.")]
MemoryId = Annotated[inputs.MemoryId, Field(description="Memory id.")]
Session = Annotated[inputs.Line | None, Field(description="Id in an earlier answer.")]

Content = Annotated[
    inputs.Content, Field(description="Self-contained statement, with names and dates.")
]
MemoryType = Annotated[inputs.TypeName, Field(description="Kind of memory.")]
Tags = Annotated[inputs.Tags, Field(description="Labels to filter by.")]
Metadata = Annotated[inputs.Metadata, Field(description="A JSON object.")]
Attachments = Annotated[attachments.Attachments, Field(description="URIs of its files."), WORDS]
Importance = Annotated[
    inputs.Importance | None,
    Field(description="From 1 trivial to 10 vital; default: rated."),
]
Stability = Annotated[
    inputs.Stability | None, Field(description="Stability, 1 volatile to 5 permanent.")
]
Confidence = Annotated[inputs.Unit | None, Field(description="Confidence, 0 to 1.")]
Source = Annotated[inputs.SourceName, Field(description="Origin of the statement.")]
ProjectId = Annotated[inputs.Line | None, Field(description="Project id.")]
MinAuthority = Annotated[
    inputs.AuthorityName | None,
    Field(description="Least authority; derived is the lowest, person the highest."),
    WORD,
]
ConversationId = Annotated[
    inputs.Line | None, Field(description="Id of the conversation it is from.")
]
Title = Annotated[inputs.Line | None, Field(description="Short title.")]
Clear = Annotated[
    tuple[inputs.Clearable, ...],
    Field(description="Fields to empty."),
    WORDS,
]
ParentId = Annotated[inputs.MemoryId | None, Field(description="Id of the memory it is part of.")]
Relationships = Annotated[
    tuple[inputs.NewRelation, ...],
    Field(
        max_length=100,
        description="Relations to make: target_id, and arguments of memory_relate.",
    ),
    WithJsonSchema({"type": "array", "items": {"type": "object"}}),
]
DecayPolicy = Annotated[
    inputs.PolicyName | None, Field(description="Decay policy; default: the server's.")
]
DecayRate = Annotated[
    inputs.DecayRate | None, Field(description="Decay rate per day, for policy adaptive.")
]
Memories = Annotated[
    list[Any],
    Field(description="Objects with arguments of add_memory."),
    WithJsonSchema({"type": "array", "items": {"type": "object"}}),
]

NewContent = Annotated[inputs.Content | None, Field(description="New text; versions stay.")]
SupersedePart = Annotated[
    inputs.Content | None, Field(description="Exact words to replace by content, or drop.")
]
NewMemoryType = Annotated[inputs.TypeName | None, Field(description="New kind."), WORD]
NewTags = Annotated[inputs.Tags | None, Field(description="All new labels.")]
NewMetadata = Annotated[inputs.Metadata | None, Field(description="New JSON object.")]
NewAttachments = Annotated[
    attachments.Attachments | None,
    Field(description="All new URIs, or objects with uri, title and media_type."),
    WORDS,
]

Query = Annotated[inputs.Question, Field(description="Question or topic.")]
ProfileName = Annotated[
    Profile,
    Field(
        description="Ranking. recall: meaning and words; weighted: also recency and importance; "
        "hybrid: also relations."
    ),
]
Weights = Annotated[
    tuple[float, ...] | None,
    Field(description="Weights for weighted or hybrid, which sum to 1."),
]
MinRelevance = Annotated[inputs.Unit | None, Field(description="Least relevance, 0 to 1."), REAL]
Counted = Annotated[bool, Field(description="Count it as use.")]
ResultSort = Annotated[ResultOrder, Field(description="Order: score or time."), WORD]
Limit = Annotated[int, Field(ge=1, le=50, description="Most results.")]
MemoryTypes = Annotated[
    tuple[inputs.TypeName, ...] | None, Field(description="Types; default: all."), WORDS
]
OneMemoryType = Annotated[inputs.TypeName | None, Field(description="Type; default: all."), WORD]
AnyTags = Annotated[inputs.Tags | None, Field(description="Tags; any matches.")]
DateFrom = Annotated[Moment | None, Field(description="Earliest creation, ISO 8601.")]
DateTo = Annotated[EndMoment | None, Field(description="Latest creation, ISO 8601.")]
AsOf = Annotated[EndMoment | None, Field(description="Past time, ISO 8601.")]
KnownAt = Annotated[
    EndMoment | None, Field(description="Time of storage to look back to, ISO 8601.")
]
ValidAt = Annotated[Moment | None, Field(description="Start of truth, ISO 8601; default: now.")]
InvalidAt = Annotated[Moment | None, Field(description="End of truth, ISO 8601; default: none.")]
States = Annotated[
    tuple[inputs.StateName, ...] | None,
    Field(description="Allowed states; default: ACTIVE, DORMANT."),
    WORDS,
]
ListedStates = Annotated[
    tuple[inputs.StateName, ...] | None,
    Field(description="Allowed states."),
    WORDS,
]
Sort = Annotated[SortOrder, Field(description="Order, highest first.")]
Cursor = Annotated[str | None, Field(description="An answer's next_cursor.")]

Permanent = Annotated[bool, Field(description="True: no recovery.")]

DetailName = Annotated[
    Detail, Field(description="Fields of each memory: lean, or full with components and dates.")
]
MemoryDetail = Annotated[
    Detail, Field(description="Fields: lean, or full with its decay and centrality explained.")
]
