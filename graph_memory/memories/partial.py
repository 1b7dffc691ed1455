"""Partial corrections: one part of a content is replaced or dropped, and the rest stays as it is.

The part is given by its exact words. No grammar is guessed: besides the words, only punctuation,
spaces, an emptied item of a list and a conjunction that joins nothing more go.
"""

import re

from graph_memory.domain.inputs import MemoryChanges
from graph_memory.errors import InvalidArgumentError
from graph_memory.wording import argument, operation

_PART = "supersede_part"
_CONJUNCTION = re.compile(r"[,;]?\s+(?:and|or|but|nor|und|oder|aber|sondern)$")
_BULLET = re.compile(r"(?:^|(?<=\n))[ \t]*(?:[-*+•]|\d+[.)])[ \t]*$")
_INNER, _FINAL = ",;:", ".!?"

#: Scripts from here on write words without spaces.
_UNSPACED = "\u2e80"


def check_part(changes: MemoryChanges) -> None:
    """Check that a part has words.

    Raises:
        InvalidArgumentError: The part has no letter or digit.
    """
    part = changes.supersede_part
    if part is not None and not _has_words(part):
        raise InvalidArgumentError(_PART, part, "give the words to drop or to replace")


def with_part_superseded(content: str, part: str, replacement: str | None) -> str:
    """Return a content in which one part is replaced, or dropped with its punctuation.

    Args:
        content: The whole content.
        part: The exact words, which stand once in the content; case counts.
        replacement: The words in their place; None drops the part.

    Raises:
        InvalidArgumentError: The words are not in the content, stand there several times, or are
            all of it; or the replacement repeats the rest of the content.
    """
    words = part.strip()
    start = _only_place(content, words, part)
    before, after = content[:start], content[start + len(words) :]
    if not _has_words(before + after):
        remedy = f"{operation('mark_obsolete')} ends the whole memory, {argument('content')} alone"
        raise InvalidArgumentError(_PART, part, f"it is the whole content; {remedy} replaces it")
    if replacement is None:
        return _joined(before, after)
    _check_replacement(replacement, before, after)
    return before + replacement.strip() + after


def _only_place(content: str, words: str, part: str) -> int:
    """Return the start of the only place of whole words in a content."""
    places = [
        place.start()
        for place in re.finditer(f"(?={re.escape(words)})", content)
        if _whole(content, place.start(), place.start() + len(words))
    ]
    if not places:
        raise InvalidArgumentError(
            _PART, part, "the content has no such words; give them exactly as they stand there"
        )
    if len(places) > 1:
        rule = f"it stands {len(places)} times in the content; add the words beside the one meant"
        raise InvalidArgumentError(_PART, part, rule)
    return places[0]


def _whole(content: str, start: int, end: int) -> bool:
    """Return whether a span of a content begins and ends at the borders of words."""
    return not (_in_word(content, start) or _in_word(content, end))


def _in_word(content: str, place: int) -> bool:
    """Return whether the characters on both sides of a place belong to one word."""
    around = content[place - 1 : place + 1] if place else ""
    return len(around) == 2 and all(each.isalnum() and each < _UNSPACED for each in around)


def _check_replacement(replacement: str, before: str, after: str) -> None:
    for rest in (before.strip(), after.strip(" \t\n,;:.!?")):
        if len(rest.split()) > 1 and rest in replacement:
            raise InvalidArgumentError(
                "content",
                replacement,
                f"with {argument(_PART)} it is only what stands in the place of these words; "
                "leave out the rest of the memory",
            )


def _joined(before: str, after: str) -> str:
    """Return the texts before and after a dropped part as one, tidy at the seam only."""
    spaced = before[-1:].isspace() or after[:1].isspace()
    left, right = before.rstrip(" \t"), after.lstrip(" \t")
    left, right = _without_item(left, right)
    if not right or right[0] in _INNER + _FINAL + "\n":
        left = _CONJUNCTION.sub("", left)
    if not right:
        left = left.rstrip(_INNER)
    if not left or left[-1] in _FINAL + "\n":
        right = right.lstrip(f"{_INNER}{_FINAL} \t")
    elif right and left[-1] in _INNER and right[0] in _INNER:
        right = right[1:].lstrip(" \t")
    elif right and left[-1] in _INNER and right[0] in _FINAL + "\n":
        left = left[:-1]
    tight = not left or not right or left[-1] == "\n" or right[0] in f"{_INNER}{_FINAL}\n)]"
    joined = left + ("" if tight or not spaced else " ") + right
    return joined.strip()


def _without_item(left: str, right: str) -> tuple[str, str]:
    """Return both texts without the line that a dropped part leaves empty."""
    rest = right.lstrip(f"{_INNER}{_FINAL} \t")
    if rest and rest[0] != "\n":
        return left, right
    bare = _BULLET.sub("", left)
    if bare and not bare.endswith("\n"):
        return left, right
    return bare, rest.lstrip("\n") if bare.endswith("\n\n") else rest.removeprefix("\n")


def _has_words(text: str) -> bool:
    return any(each.isalnum() for each in text)
