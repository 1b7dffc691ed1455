"""Ids of memories, and the short form in which answers to a model give them."""

import re
from collections.abc import Iterable
from itertools import pairwise, takewhile

#: Characters of a generated id; an id as long is whole.
ID_CHARACTERS = 36

#: Characters of a short id. Two of a million random ids begin alike by a chance of 1 in 4,000.
_SHORT_CHARACTERS = 8

#: Ids whose beginning is random: versions 3, 4 and 5 of a UUID. Those of version 1, 6 and 7 begin
#: with a time, which memories that were stored together share.
_RANDOM = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[345][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")

#: Different characters in the beginning of a random id. Numbered ids begin with zeros.
_LEAST_VARIED = 3


def short_ids(memory_ids: Iterable[str]) -> dict[str, str]:
    """Return the beginning of each random id of an answer, and any other id as it is.

    A beginning has eight characters, or as many more as it takes to differ from the other ids of
    the answer. Tools and commands take beginnings, and refuse one that several stored ids share.
    """
    ordered = sorted(set(memory_ids))
    shared = [0, *(_common(*pair) for pair in pairwise(ordered)), 0]
    return {
        each: _beginning(each, 1 + max(beside)) if _is_random(each) else each
        for each, beside in zip(ordered, pairwise(shared), strict=False)
    }


def _common(first: str, second: str) -> int:
    """Return the characters with which both texts begin."""
    alike = (a == b for a, b in zip(first, second, strict=False))
    return sum(takewhile(bool, alike))


def _beginning(memory_id: str, least: int) -> str:
    """Return the first characters of a random id, `least` of them or more."""
    return memory_id[: max(_SHORT_CHARACTERS, least)]


def _is_random(memory_id: str) -> bool:
    varied = len(set(memory_id[:_SHORT_CHARACTERS])) >= _LEAST_VARIED
    return varied and _RANDOM.fullmatch(memory_id) is not None
