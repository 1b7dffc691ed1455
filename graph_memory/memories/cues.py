"""Words of a text, and its cues of negation, refusal and change. No I/O.

`conflict_words.json` has the words of each language, as regular expressions. A text is read with
the words of all languages.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from graph_memory.ranking.terms import Word, content_words

CONFLICT_WORDS = Path(__file__).with_name("conflict_words.json")

#: Lists of words that do not belong to the subject of a text.
OUTSIDE_SUBJECT = (
    "refusals",
    "endings",
    "changes",
    "from_now",
    "instead",
    "indifference",
    "others",
)

#: Lists of words that are counted.
COUNTED = (
    *OUTSIDE_SUBJECT,
    "negations",
    "habits",
    "past",
    "wishes",
    "questions",
    "addressee",
    "courtesies",
)

_PUNCTUATION = re.compile(r"[.,;:!?](?=\s|$)|\n")
_SPEAKER = re.compile(r"\s*(\w[\w .'-]{0,39}):\s")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|\n)\s*")

#: English endings that a comparison of words ignores, and letters that remain at least.
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "ly", "er", "est")
_LEAST_STEM = 4


@dataclass(frozen=True, slots=True)
class Cues:
    """The words of a text with their marks, and its cues.

    Attributes:
        words: Content words, without those of refusal and change.
        stems: Each of them without its ending.
        names: True for each that is a name or has a digit.
        negated: True for each that a negation, a refusal or an ending applies to.
        terms: All words in lower case.
        every: The same, without their endings.
        numbers: All numbers, as written.
        counts: Number of cues by their list.
        speaker: Name in front of a turn; None without one.
        asks: True for a text that ends with a question mark.
        exclaims: True for a text with an exclamation mark.
    """

    words: Sequence[Word]
    stems: Sequence[str]
    names: Sequence[bool]
    negated: Sequence[bool]
    terms: Sequence[str]
    every: frozenset[str]
    numbers: frozenset[str]
    counts: Mapping[str, int]
    speaker: str | None
    asks: bool
    exclaims: bool


@lru_cache(maxsize=64)
def cues(text: str) -> Cues:
    """Return the words and cues of a text."""
    plain = text.replace("’", "'")
    places = [place for language in _languages() for place in language.negated(plain)]
    beyond = [place for language in _languages() for place in language.outside_subject(plain)]
    words = [
        word
        for word in content_words(plain, "english")
        if not any(start <= word.start < end for start, end in beyond)
    ]
    starts = {match.end() for match in _SENTENCE_START.finditer(plain)}
    speaker = _SPEAKER.match(plain)
    every = [word.term for word in content_words(plain, "")]
    return Cues(
        words=words,
        stems=[stem(word.term) for word in words],
        names=[_is_name(plain, word, starts) for word in words],
        negated=[_is_negated(word, places) for word in words],
        terms=every,
        every=frozenset(map(stem, every)),
        numbers=frozenset(_NUMBER.findall(plain)),
        counts={key: sum(each.count(key, plain) for each in _languages()) for key in COUNTED},
        speaker=speaker[1] if speaker else None,
        asks=plain.rstrip().endswith("?"),
        exclaims="!" in plain,
    )


def opposed(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return True if a word that only one text has is the opposite of one of the other text."""
    own, foreign = words - others, others - words
    return any(language.opposed(word, foreign) for language in _languages() for word in own)


def stem(word: str) -> str:
    """Return a word without its English ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word


def _is_name(text: str, word: Word, starts: set[int]) -> bool:
    """Return True for a word with a digit, or with a capital that begins no sentence."""
    inner = text[word.start + (word.start in starts) : word.end]
    return any(c.isupper() or c.isdigit() for c in inner)


def _is_negated(word: Word, places: Sequence[tuple[int, int]]) -> bool:
    """Return True for a word that an odd number of negations applies to."""
    return sum(start <= word.start < end for start, end in places) % 2 == 1


@cache
def _languages() -> tuple["_Language", ...]:
    tables = json.loads(CONFLICT_WORDS.read_text(encoding="utf-8"))
    return tuple(_Language(table) for table in tables.values())


class _Language:
    """The cues of a language."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table

    def count(self, key: str, text: str) -> int:
        """Return how often a text has one of the words under a key."""
        return sum(1 for _ in self._patterns[key].finditer(text))

    def outside_subject(self, text: str) -> list[tuple[int, int]]:
        """Return the places of words outside the subject."""
        return [place for key in OUTSIDE_SUBJECT for place in self._places(key, text)]

    def negated(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the parts that a negation or refusal applies to: up to the end of its clause.

        An ending, such as "no longer", applies to its whole clause.
        """
        ends = [*self._places("clause_ends", text), *_places(_PUNCTUATION, text)]
        endings = list(self._places("endings", text))
        for key in ("negations", "refusals"):
            for start, end in self._places(key, text):
                # The "no" of "no longer" does not count as a second negation.
                if not any(first <= start < last for first, last in endings):
                    yield end, min((s for s, _ in ends if s >= end), default=len(text))
        for start, end in endings:
            first = max((e for _, e in ends if e <= start), default=0)
            yield first, start
            yield end, min((s for s, _ in ends if s >= end), default=len(text))

    def opposed(self, word: str, others: frozenset[str]) -> bool:
        """Return True if the opposite of a word is one of the others."""
        if not self._antonyms.get(word, frozenset[str]()).isdisjoint(others):
            return True
        return any(
            prefix + word in others or word.removeprefix(prefix) in others - {word}
            for prefix in self._table["prefixes"]
        )

    def _places(self, key: str, text: str) -> Iterator[tuple[int, int]]:
        return _places(self._patterns[key], text)

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        """One regular expression for each list of words, the longest first."""
        keys = ("clause_ends", *COUNTED)
        choices = {key: sorted(self._table[key], key=len, reverse=True) for key in keys}
        return {
            key: re.compile(
                rf"(?<!\w)(?:{'|'.join(words)})(?!\w)".replace(" ", r"\s+"), re.IGNORECASE
            )
            for key, words in choices.items()
        }

    @cached_property
    def _antonyms(self) -> dict[str, frozenset[str]]:
        """The opposites of each word, all without their endings."""
        found: dict[str, set[str]] = {}
        for pair in self._table["antonyms"]:
            first, second = (stem(word) for word in pair.split())
            found.setdefault(first, set()).add(second)
            found.setdefault(second, set()).add(first)
        return {word: frozenset(opposites) for word, opposites in found.items()}


def _places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))
