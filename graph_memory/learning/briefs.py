"""Briefs of long memories that are used often: the sentences that answered most.

An answer counts for a memory if its passage was delivered and the memory was then used. A delivery
alone does not count, and neither does that of a brief. Each answer gives a vote to the sentence of
its passage with most of the words of the question, by rarity in the memory. The sentences with the
most votes are the brief, up to a number of tokens.

A brief follows from the lessons and the text alone. So a second run changes nothing. It holds
places in the text and no text, and a change of the text drops it.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.briefs import VERSION_DIGITS, Brief, brief_json, brief_of
from graph_memory.domain.encoding import StoredContent, content_hash
from graph_memory.domain.passages import Passage, sentences
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import giving_turns
from graph_memory.memories.cues import stem
from graph_memory.ranking.terms import content_terms
from graph_memory.settings.base import Settings

#: Memories in one transaction.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class BriefChange:
    """A brief that changes; None is none."""

    memory_id: str
    content_hash: str  #: of the text that the change is of
    was: Brief | None
    becomes: Brief | None


@dataclass(frozen=True, slots=True)
class _Used:
    """A memory that was quoted and used often, or that has a brief, as the database returns it."""

    memory_id: str
    content_hash: str
    content: StoredContent  #: empty without answers
    questions: list[str]
    passages: list[str]
    stored: str  #: the present brief as JSON; empty for none


async def compute(
    graph: Graph, settings: Settings, scope: CallScope, canary: int = 100
) -> list[BriefChange]:
    """Compute the briefs of the memories of a group, and return the changes.

    Args:
        graph: The database.
        settings: The least number of answers, and the most tokens of a brief.
        scope: The tenant.
        canary: Share of the memories that may change, 0 to 100 percent.
    """
    used = await graph.readable_rows(
        "learning/briefs/answers",
        _Used,
        least=settings.brief_min_answers,
        canary=canary,
        group_id=scope.group_id,
    )
    return await asyncio.to_thread(_changes, used, settings)


async def store(
    graph: Graph, scope: CallScope, changes: Iterable[BriefChange], run_id: str
) -> None:
    """Store changed briefs, with a record for undo."""
    for batch in batched(changes, _BATCH):
        await graph.run(
            "learning/briefs/store",
            briefs=[
                {
                    "memory_id": each.memory_id,
                    "content_hash": each.content_hash,
                    "brief": brief_json(each.becomes),
                }
                for each in batch
            ],
            run_id=run_id,
            **scope.parameters(),
        )


def brief_for(
    content: str, answers: Iterable[tuple[str, tuple[int, int]]], settings: Settings
) -> Brief | None:
    """Return the brief of a content; None if too few answers give a vote.

    Args:
        content: The content.
        answers: The question of each answer, and the start and end of its passage.
        settings: The analyser, the least number of answers, and the most tokens.
    """
    parts = sentences(content)
    words = [_words(part.text, settings) for part, _ in parts]
    held = Counter(word for each in words for word in each)
    rare = {word: _rarity(len(parts), count) for word, count in held.items()}
    votes = Counter[int]()
    for question, span in answers:
        asked = _words(question, settings)
        inside = [i for i, (part, _) in enumerate(parts) if _lies_in(part, span)]
        met = {i: sum(rare[word] for word in sorted(asked & words[i])) for i in inside}
        best = max(met, key=lambda i: (met[i], -i), default=None)
        if best is not None and met[best] > 0:
            votes[best] += 1
    if votes.total() < settings.brief_min_answers:
        return None
    chosen = _fitting(votes, [tokens for _, tokens in parts], settings.brief_max_tokens)
    spans = _spans(content, [parts[i][0] for i in chosen])
    version = content_hash(content)[:VERSION_DIGITS]
    return Brief(version, spans, votes.total()) if spans else None


def _changes(used: Iterable[_Used], settings: Settings) -> list[BriefChange]:
    changes: list[BriefChange] = []
    for each in giving_turns(used):
        was, becomes = brief_of(each.stored), _brief(each, settings)
        if brief_json(becomes) != each.stored:
            changes.append(BriefChange(each.memory_id, each.content_hash, was, becomes))
    return changes


def _brief(used: _Used, settings: Settings) -> Brief | None:
    if not used.content:
        return None
    answers = zip(used.questions, map(_span, used.passages), strict=True)
    return brief_for(used.content, answers, settings)


def _span(place: str) -> tuple[int, int]:
    """Return the start and end of a passage; nothing for a text that another client damaged."""
    start, _, end = place.partition("-")
    return (int(start), int(end)) if start.isdecimal() and end.isdecimal() else (0, 0)


def _words(text: str, settings: Settings) -> frozenset[str]:
    """Return the content words of a text without their endings."""
    return frozenset(stem(term) for term in content_terms(text, settings.fulltext_analyzer))


def _rarity(sentences: int, holding: int) -> float:
    """Return how rare a word is among sentences, as a search counts it among memories."""
    return math.log(1 + (sentences - holding + 0.5) / (holding + 0.5))


def _lies_in(part: Passage, span: tuple[int, int]) -> bool:
    return span[0] <= part.start and part.end <= span[1]


def _fitting(votes: Counter[int], tokens: Sequence[int], most: int) -> list[int]:
    """Return the sentences with the most votes that fit, in the order of the text."""
    chosen: list[int] = []
    for i in sorted(votes, key=lambda i: (-votes[i], i)):
        if sum(tokens[each] for each in chosen) + tokens[i] <= most:
            chosen.append(i)
    return sorted(chosen)


def _spans(content: str, parts: Iterable[Passage]) -> tuple[tuple[int, int], ...]:
    """Return the places of sentences; those with only white space between are one place."""
    spans: list[tuple[int, int]] = []
    for part in parts:
        if spans and not content[spans[-1][1] : part.start].strip():
            spans[-1] = spans[-1][0], part.end
        else:
            spans.append((part.start, part.end))
    return tuple(spans)
