"""The known names that a misspelt name may stand for, by edit distance."""

import difflib
from collections.abc import Iterable, Sequence

#: The cost of each letter that is missing at the end, where a name is cut more often than misspelt.
_CUT = 0.25

#: A name with more than one slip in so many letters is compared by its common parts instead.
_LETTERS_A_SLIP = 3

#: Longer names stand for none, and are not compared.
_LONGEST = 64


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that are nearest to a misspelt one: several at the same distance, or none.

    A letter too many, a missing or another letter, and two exchanged letters count 1 each.
    """
    if len(name) > _LONGEST:
        return []
    names = sorted(known)
    distances = {each: _distance(name.lower(), each) for each in names}
    least = min(distances.values(), default=0.0)
    if least <= len(name) / _LETTERS_A_SLIP:
        return [each for each in names if distances[each] == least]
    return difflib.get_close_matches(name.lower(), names, n=1)


def _distance(name: str, known: str) -> float:
    """Return the distance of optimal string alignment; letters missing at the end are cheap."""
    before: Sequence[int] = ()
    last: Sequence[int] = range(len(known) + 1)
    for row, letter in enumerate(name, 1):
        costs = [row]
        for column, other in enumerate(known, 1):
            least = min(last[column] + 1, costs[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and name[row - 2] == other and known[column - 2] == letter:
                least = min(least, before[column - 2] + 1)
            costs.append(least)
        before, last = last, costs
    return min(cost + _CUT * (len(known) - column) for column, cost in enumerate(last))
