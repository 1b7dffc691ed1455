"""Quotations: questions that a memory contains word by word. No I/O."""

import numpy as np
import numpy.typing as npt

from graph_memory.ranking.candidates import LEAD_CHARACTERS, Candidate, Candidates, Query
from graph_memory.ranking.terms import QUOTATION_WORDS


def contains_quotation(query: Query, candidates: Candidates) -> npt.NDArray[np.bool_]:
    """Return True for each candidate that contains the question word by word, array (n,).

    The index decides, so other forms of the words count as well.
    """
    if query.quotation is None or _is_mostly_dropped(query, candidates):
        return np.zeros(len(candidates.memories), dtype=bool)
    return candidates.word_weights[:, -1] > 0


def quotation_exactness(query: Query, candidates: Candidates) -> dict[str, float]:
    """Return how exactly candidates contain the question, by id; without those that do not.

    Returns:
        1 for a memory that may contain it letter by letter, a half for other forms of its words.
    """
    quotes = contains_quotation(query, candidates)
    literal = _letters(query.text)
    pairs = zip(candidates.memories, quotes, strict=True)
    return {memory.memory_id: _exactness(memory, literal) for memory, found in pairs if found}


def _is_mostly_dropped(query: Query, candidates: Candidates) -> bool:
    """Return whether stop words of the analyser leave too few words for a quotation."""
    kept = sum(rarity != 0 for rarity in candidates.rarity[: len(query.terms)])
    return kept < min(len(query.terms), QUOTATION_WORDS)


def _exactness(memory: Candidate, literal: str) -> float:
    # What stands beyond the lead is not read here.
    beyond = memory.characters > LEAD_CHARACTERS
    return 1.0 if beyond or literal in _letters(memory.lead) else 0.5


def _letters(text: str) -> str:
    """Return a text without differences of case and of white space."""
    return " ".join(text.casefold().split())
