"""The answer of a retrieval, its compact form, and the tokens that the form takes. No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph_memory.domain.ids import short_ids
from graph_memory.domain.models import Known
from graph_memory.search.budget import BudgetCandidate, RetrievedMemory
from graph_memory.search.compact import (
    PASSAGE_HINT,
    compact_memory,
    compact_origin,
    compact_scores,
    given_fields,
    json_tokens,
    link_tokens,
)
from graph_memory.search.judgement import PLAIN_REASON
from graph_memory.search.session import ChangedMemory, LoadStatus

#: Ids of loaded memories in the compact form, the best.
_SKIPPED = 5

#: The advice for a budget that is too small for each memory.
_UNFIT = "No memory fits into max_tokens."

#: In place of the id of a new session, which is as long.
_NEW_SESSION = "0" * 36


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of a retrieval."""

    session_id: str
    memories: list[RetrievedMemory]  #: best first, or earliest first
    tokens_used: int  #: of the contents of `memories`, or of the answer
    total_tokens: int  #: of the conversation, `tokens_used` included
    anchors: list[str]  #: ids of the hits from which the graph was walked
    skipped_loaded: list[str]  #: ids of candidates that the model holds already, best first
    refreshed: list[str]  #: ids of `memories` that were loaded before and had become stale
    changed: list[ChangedMemory]  #: loaded memories that are no longer reliable
    #: Whether the group has an answer. None in the profiles weighted and hybrid, and for an
    #: embedding model without a calibration.
    known: Known | None = None
    known_reason: str | None = None  #: the reason, as a sentence
    left_out: int = 0  #: memories that fit the budget and are below `min_relevance`


def compact_judgement(
    known: Known | None, reason: str | None, left_out: int
) -> dict[str, str | int]:
    """Return whether the group has an answer, with a reason that informs, and what is left out."""
    fields = {
        "known": known and known.value,
        "known_reason": None if reason == PLAIN_REASON else reason,
        "left_out": left_out or None,
    }
    return given_fields(fields)


def compact_retrieval(retrieved: Retrieved, among: Iterable[str] = ()) -> dict[str, Any]:
    """Return what a model needs of a retrieval; `memories` stands there even if it is empty.

    Args:
        retrieved: The result of a retrieval.
        among: Further ids from which the short ids of the answer differ.
    """
    skipped = retrieved.skipped_loaded[:_SKIPPED]
    given = (each.memory.memory_id for each in retrieved.memories)
    ids = short_ids([*among, *given, *skipped, *_changed_ids(retrieved.changed)])
    judged = compact_judgement(retrieved.known, retrieved.known_reason, retrieved.left_out)
    fields = {
        "hint": _hint(retrieved),
        "changed": [_changed(each, ids) for each in retrieved.changed],
        "skipped_loaded": [ids[each] for each in skipped],
        "tokens_used": retrieved.tokens_used,
        "session_id": retrieved.session_id,
    }
    memories = [_compact(each, ids) for each in retrieved.memories]
    return {"memories": memories, **judged, **given_fields(fields)}


def memory_tokens(
    candidates: Sequence[BudgetCandidate],
    contents: Iterable[int],
    changed: Iterable[ChangedMemory],
    *,
    links: bool = False,
) -> list[int]:
    """Return the tokens of each candidate in the compact form.

    Args:
        candidates: The candidates.
        contents: Tokens of the content of each.
        changed: The changed memories of the answer, from whose ids the short ids differ.
        links: Whether links to attachments are sent beside the text.
    """
    ids = short_ids([*_ids(candidates), *_changed_ids(changed)])
    return [
        json_tokens(
            compact_memory(each.memory, ids, each.passage, each.parts)
            | compact_scores(each.score, each.relevance, each.similarity)
            | compact_origin(each.memory.authority),
            tokens,
        )
        + (link_tokens(each.memory) if links else 0)
        for each, tokens in zip(candidates, contents, strict=True)
    ]


def status_tokens() -> int:
    """Return the most tokens that the status of a memory takes which was loaded before."""
    return json_tokens({"status": LoadStatus.REFRESHED.value})


def frame_tokens(frame: Retrieved, candidates: Sequence[BudgetCandidate]) -> int:
    """Return the most tokens that a retrieval takes without its memories.

    Args:
        frame: The answer without memories, with numbers and lists as long as they can be.
        candidates: The candidates; a passage or a brief among them brings a hint.
    """
    among = [*_ids(candidates), *_changed_ids(frame.changed)]
    ids = short_ids([*among, *frame.skipped_loaded])
    skipped = sorted(frame.skipped_loaded, key=lambda each: len(ids[each]), reverse=True)
    longest = compact_retrieval(replace(frame, skipped_loaded=skipped), among)
    session = {"session_id": frame.session_id or _NEW_SESSION}
    hint = {"hint": PASSAGE_HINT} if any(each.passage or each.parts for each in candidates) else {}
    return json_tokens(longest | session | hint)


def _compact(given: RetrievedMemory, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a memory, with its status unless it is new to the conversation."""
    status = {} if given.status is LoadStatus.NEW else {"status": given.status.value}
    scores = compact_scores(given.score, given.relevance, given.similarity)
    origin = compact_origin(given.memory.authority)
    fields = compact_memory(given.memory, ids, given.passage, given.parts)
    return fields | scores | origin | status


def _hint(retrieved: Retrieved) -> str | None:
    if any(given.passage or given.parts for given in retrieved.memories):
        return PASSAGE_HINT
    unfit = retrieved.known is Known.YES and not retrieved.memories and not retrieved.left_out
    return _UNFIT if unfit and not retrieved.skipped_loaded else None


def _changed(change: ChangedMemory, ids: Mapping[str, str]) -> dict[str, str]:
    return given_fields(
        {
            "memory_id": ids[change.memory_id],
            "reason": change.reason.value,
            "superseded_by": change.superseded_by and ids[change.superseded_by],
        }
    )


def _ids(candidates: Iterable[BudgetCandidate]) -> Iterable[str]:
    return (each.memory.memory_id for each in candidates)


def _changed_ids(changed: Iterable[ChangedMemory]) -> Iterable[str]:
    """Yield the ids of changed memories and of their successors."""
    for each in changed:
        yield from filter(None, (each.memory_id, each.superseded_by))
