"""Keyed hashes of the values of single-valued slots that a text states. No I/O.

A mark is a hash of slot, subject and value together, so that none of them can be found alone. Case,
diacritics, articles and look-alike letters do not count. A value has a second mark if it is more
exact than another: "Paris, France" also bears the mark of "Paris", and a birthday with its year the
mark of the day. By the kind of these marks, "Paris, Texas" stays another value.
"""

import hmac
import re
from collections.abc import Iterator, Sequence

from graph_memory.domain.statement import unmasked, words
from graph_memory.memories.slots import SlotValue, sentences, slot_values, slots

#: Bits of a mark. It confirms a guess of all its parts by one who has the key.
_BITS = 64

_DAY = re.compile(r"\d\d-\d\d")
_WHOLE, _SHORT = "whole", "short"


def marks_of(text: str, secret: bytes) -> list[str]:
    """Return the marks to keep of a rejected text, ascending; of each slot that the rules know.

    Args:
        text: The text.
        secret: The key of the hashes.
    """
    names = [each.name for each in slots()]
    kept = {mark for value in _values(text, names) for mark in _kept(value, secret)}
    return sorted(kept)


def asked_marks(text: str, names: Sequence[str], secrets: Sequence[bytes]) -> dict[str, str]:
    """Return the marks that values of a text may have been kept by, with the slot of each.

    Args:
        text: The text.
        names: The slots to compare.
        secrets: The keys of the hashes.
    """
    return {
        mark: value.slot
        for value in (_values(text, names) if names and secrets else ())
        for secret in secrets
        for mark in _asked(value, secret)
    }


def without_values(
    text: str, names: Sequence[str], secrets: Sequence[bytes], marks: set[str]
) -> str:
    """Return a text without the sentences whose values were kept by any of the marks."""
    left = (each for each in sentences(text) if marks.isdisjoint(asked_marks(each, names, secrets)))
    return " ".join(left)


def _values(text: str, names: Sequence[str]) -> Iterator[SlotValue]:
    """Yield the values of each sentence; of two that differ, both."""
    for sentence in sentences(unmasked(text)):
        yield from slot_values(sentence, names)


def _kept(value: SlotValue, secret: bytes) -> Iterator[str]:
    yield _mark(_WHOLE, value, value.key, secret)
    if shorter := _shorter(value):
        yield _mark(_SHORT, value, shorter, secret)


def _asked(value: SlotValue, secret: bytes) -> Iterator[str]:
    for key in (value.key, _shorter(value)):
        if key:
            yield _mark(_WHOLE, value, key, secret)
    yield _mark(_SHORT, value, value.key, secret)


def _shorter(value: SlotValue) -> frozenset[str]:
    """Return the key of a less exact value: a day without its year, words before a comma."""
    if days := frozenset(each for each in value.key if _DAY.fullmatch(each)):
        return days if days < value.key else frozenset()
    first, comma, _ = value.value.partition(",")
    return frozenset(words(first)) & value.key if comma else frozenset()


def _mark(kind: str, value: SlotValue, key: frozenset[str], secret: bytes) -> str:
    folded = sorted(part for word in key for part in words(word))
    message = "\x1f".join(("slot", kind, value.slot, *words(value.subject), "", *folded))
    return hmac.digest(secret, message.encode(), "sha256").hex()[: _BITS // 4]
