"""The words of a question that can find something."""

import re

from graph_memory.memories import group_key

#: More words than this cost time and find nothing more.
MAX_WORDS = 32

_WORD = re.compile(r"\w+")

#: Words that questions are made of, but answers are not found by; an analyser drops only a few.
_ENGLISH = frozenset(
    """
    a about after again all also am an and any are as at be been before being between both
    but by can could d did do does doing done down during each few for from had has have
    having he her here him his how i if in into is it its just ll m may me might more most
    my no nor not now of off on once only or other our out over own re s same shall she
    should so some such t than that the their them then there these they this through to too
    under up ve very was we were what when where which who whom whose why will with would
    you your yours
    """.split()  # noqa: SIM905 - a hundred quoted words would fill a page
)


def lookups(question: str, group_id: str, analyzer: str) -> list[str]:
    """Return a Lucene query for each word of `question` that can find something in a group.

    Only runs of letters, digits and underscores get in, in lower case, so no part of a question can
    act as syntax. The group's clause is required and adds nothing to the score.

    Args:
        question: Any text.
        group_id: The tenant.
        analyzer: Of the index; function words are left out for `english`.

    Returns:
        At most `MAX_WORDS` queries, the longest words first, as these are the rarest.
    """
    stop = _ENGLISH if analyzer == "english" else frozenset[str]()
    words = dict.fromkeys(_WORD.findall(question.lower()))
    telling = sorted((word for word in words if word not in stop), key=len, reverse=True)
    group = f"+group_key:{group_key(group_id)}^0"
    return [f"{group} +(content:{word} tags:{word})" for word in telling[:MAX_WORDS]]
