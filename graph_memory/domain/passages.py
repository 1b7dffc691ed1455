"""Passages: the overlapping parts in which a long text is embedded, searched and quoted. No I/O.

A passage ends where a sentence, a line or a block of code ends. A heading begins a new passage if
the one before it is at least half full. Offsets count characters (code points) of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

#: Most tokens of a passage, by the estimate of `_TOKEN`. A longer text has passages.
LONGEST = 200

#: Most tokens that two passages share.
_OVERLAP = 40

#: A token, nearly as an embedding model splits a text: part of a word, digits, or one character of
#: other scripts and of punctuation with the marks after it.
_TOKEN = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^\sA-Za-z0-9][\u0300-\u036f\u200d\ufe0f]*")

#: The end of a sentence or of a line, with the white space after it.
_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？])|\s*\n\s*")

#: A block of code between fences.
_CODE = re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)

_HEADING = re.compile(r"#{1,6} ")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of the content of a memory."""

    start: int  #: character of the content at which it begins
    end: int  #: character after the last one
    text: str

    @classmethod
    def of(cls, content: str, span: tuple[int, int] | None) -> "Passage | None":
        """Return the passage of a content at a span; None without a span."""
        return cls(*span, content[slice(*span)]) if span else None


class _Unit(NamedTuple):
    """A part of a text that no passage divides."""

    start: int
    end: int
    tokens: int
    is_heading: bool


def split(text: str) -> list[Passage]:
    """Return the passages of a text in order; a text of at most `LONGEST` tokens has none.

    Each passage has at most `LONGEST` tokens. Together they contain all of the text but white
    space.
    """
    # No text has more tokens than characters.
    if len(text) <= LONGEST or _count(text) <= LONGEST:
        return []
    units = list(_units(text))
    return [
        Passage(start, end, text[start:end])
        for first, last in _groups(units)
        for start, end in _trimmed(text, units[first].start, units[last - 1].end)
    ]


def sentences(text: str) -> list[tuple[Passage, int]]:
    """Return the sentences, lines and blocks of code of a text, each with its tokens.

    No passage divides one of them. White space at their ends is left out.
    """
    return [
        (Passage(start, end, text[start:end]), unit.tokens)
        for unit in _units(text)
        for start, end in _trimmed(text, unit.start, unit.end)
    ]


def _groups(units: list[_Unit]) -> Iterator[tuple[int, int]]:
    """Yield the first unit of each passage, and the unit after its last one."""
    first = 0
    while first < len(units):
        last, tokens = first, 0
        while last < len(units) and not _begins_anew(units[last], tokens):
            tokens += units[last].tokens
            last += 1
        yield first, last
        first = _overlapping(units, first, last)


def _begins_anew(unit: _Unit, tokens: int) -> bool:
    """Return True if a unit must not continue a passage of `tokens` tokens."""
    return tokens + unit.tokens > LONGEST or (unit.is_heading and tokens >= LONGEST // 2)


def _overlapping(units: list[_Unit], first: int, last: int) -> int:
    """Return the first unit of the passage that follows the units from `first` to `last`."""
    if last == len(units) or units[last].is_heading:
        return last
    start, shared = last, 0
    most = min(_OVERLAP, LONGEST - units[last].tokens)
    while start - 1 > first and shared + units[start - 1].tokens <= most:
        start -= 1
        shared += units[start].tokens
    return start


def _units(text: str) -> Iterator[_Unit]:
    for start, end in pairwise(_cuts(text)):
        part = text[start:end]
        heading = bool(_HEADING.match(part))
        tokens = [token.start() for token in _TOKEN.finditer(part)]
        # A sentence longer than a passage is divided between tokens.
        cuts = [0, *tokens[LONGEST::LONGEST], len(part)]
        for number, (begin, stop) in enumerate(pairwise(cuts)):
            count = min(LONGEST, len(tokens) - number * LONGEST)
            yield _Unit(start + begin, start + stop, count, heading)


def _cuts(text: str) -> list[int]:
    """Return the places between sentences and lines, and both ends of the text.

    A block of code that fits into a passage is not cut.
    """
    blocks = [block.span() for block in _CODE.finditer(text) if _count(block[0]) <= LONGEST]
    ends = {cut.end() for cut in _END.finditer(text)}
    inside = {end for start, stop in blocks for end in ends if start < end < stop}
    return sorted({0, len(text)} | (ends - inside))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a span without the white space at its ends, unless nothing else is in it."""
    part = text[start:end]
    if part.strip():
        yield end - len(part.lstrip()), start + len(part.rstrip())


def _count(text: str) -> int:
    return sum(1 for _ in _TOKEN.finditer(text))
