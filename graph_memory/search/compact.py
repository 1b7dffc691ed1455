"""The compact form of memories in answers to a model, and the tokens that it takes. No I/O.

It has the fields that a model needs, and leaves out nulls, defaults and empty lists.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from graph_memory.domain.attachments import Attachment
from graph_memory.domain.briefs import joined
from graph_memory.domain.models import BriefMemory, LifecycleState, Memory, MemoryType
from graph_memory.domain.origin import Authority
from graph_memory.domain.passages import Passage

#: Characters of a content in answers that list memories; of a longer one, only the first ones.
LEAD = 1000

#: Characters of JSON per token, nearly as language models split it. The tokenizer of the embedding
#: model makes a token of each sign, and of every second digit.
_CHARACTERS_PER_TOKEN = 3.4

_DECIMALS = 3

#: Attachments of a memory in the compact form; get_memory returns all.
_ATTACHMENTS = 5

#: Links to attachments in an answer, at most.
MAX_LINKS = 20

#: The advice that comes with a part of a content.
PASSAGE_HINT = (
    "With passage or brief, content is only these characters; get_memory returns the whole."
)


def compact_memory(
    memory: BriefMemory,
    ids: Mapping[str, str],
    passage: Passage | None = None,
    parts: Sequence[Passage] = (),
) -> dict[str, Any]:
    """Return the fields of a memory, with the content of a passage or a brief if there is one.

    The field `passage` holds the first character of a partial content, and the one after the last;
    `brief` holds both for each part of a brief.

    Args:
        memory: The memory.
        ids: The short ids of the memories of the answer, by their ids.
        passage: The part of a long content to give.
        parts: The parts of a brief to give.
    """
    created = memory.created_at.date()
    fields = {
        "memory_id": ids[memory.memory_id],
        "content": passage.text if passage else joined(parts) or memory.content,
        "passage": [passage.start, passage.end] if passage else None,
        "brief": [[part.start, part.end] for part in parts],
        "type": None if memory.memory_type is MemoryType.GENERAL else memory.memory_type.value,
        "tags": memory.tags,
        "date": created.isoformat(),
        "valid_at": _other_day(memory.valid_at, created),
        "invalid_at": _other_day(memory.invalid_at, None),
        "state": _state(memory.lifecycle_state),
        "metadata": memory.metadata if isinstance(memory, Memory) else None,
        "attachments": [_attachment(each) for each in memory.attachments[:_ATTACHMENTS]],
        "more_attachments": max(0, len(memory.attachments) - _ATTACHMENTS) or None,
    }
    return given_fields(fields)


def listed_memory(
    memory: BriefMemory, ids: Mapping[str, str], passage: Passage | None = None
) -> dict[str, Any]:
    """Return the fields of a memory in a list; a long content without a passage is cut."""
    if passage is None and len(memory.content) > LEAD:
        passage = Passage(0, LEAD, memory.content[:LEAD])
    return compact_memory(memory, ids, passage)


def compact_scores(
    score: float, relevance: float | None, similarity: float | None
) -> dict[str, float]:
    """Return the scores of a result with three decimals, without those that it lacks."""
    scores = {"score": score, "relevance": relevance, "similarity": similarity}
    return {name: round(value, _DECIMALS) for name, value in scores.items() if value is not None}


def compact_origin(authority: Authority | None) -> dict[str, str]:
    """Return an authority that a reader should know of: that of a hook, an import or a run."""
    if authority is None or authority in Authority.AGENT.and_above():
        return {}
    return {"authority": authority.value}


def link_fields(attachment: Attachment) -> dict[str, str]:
    """Return the content block of MCP that links to an attachment."""
    return given_fields(
        {
            "type": "resource_link",
            "name": attachment.name,
            "uri": attachment.uri,
            "mimeType": attachment.media_type,
        }
    )


def link_tokens(memory: BriefMemory) -> int:
    """Return the most tokens that the links to the attachments of a memory take."""
    return sum(json_tokens(link_fields(each)) for each in memory.attachments[:_ATTACHMENTS])


def given_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without nulls, empty texts, lists and objects."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def as_json(value: object) -> str:
    """Return compact JSON, the form in which an answer is counted."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_tokens(fields: Mapping[str, Any], content_tokens: int = 0) -> int:
    """Return the tokens of fields as JSON, rounded up.

    Args:
        fields: Fields of an answer or of a memory.
        content_tokens: Tokens of the field `content`, by the token counter. It counts a token per
            3.4 characters at least, as the rest does per 3.4 bytes.
    """
    content = as_json(fields.get("content", ""))
    around = len(as_json(fields).encode()) - len(content.encode()) + 1  # with a comma after it
    inside = max(content_tokens, len(content) / _CHARACTERS_PER_TOKEN)
    return math.ceil(inside + around / _CHARACTERS_PER_TOKEN)


def _attachment(attachment: Attachment) -> dict[str, str]:
    """Return what leads to an attachment, without a language that its type names."""
    media_type, language = attachment.media_type or "", attachment.language
    named = media_type.removeprefix("text/").removeprefix("x-") == language
    return given_fields(
        {
            "uri": attachment.uri,
            "media_type": media_type,
            "title": attachment.title,
            "language": None if named else language,
        }
    )


def _other_day(moment: Any, day: Any) -> str | None:
    """Return the day of an instant; None if it is `day`."""
    return None if moment is None or moment.date() == day else moment.date().isoformat()


def _state(state: LifecycleState) -> str | None:
    return None if state is LifecycleState.ACTIVE else state.value
