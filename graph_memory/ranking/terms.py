"""The words of a question that can find something."""

import re
from collections.abc import Sequence

from graph_memory.domain.encoding import group_key

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


def telling(text: str, analyzer: str) -> list[tuple[str, int, int]]:
    """Return the words of `text` that can find something, in lower case, and where they stand.

    Args:
        text: Any text.
        analyzer: Of the index; function words are left out for `english`.

    Returns:
        Of each occurrence the word, its first character and the one after its last.
    """
    stop = _ENGLISH if analyzer == "english" else frozenset[str]()
    found = ((match[0].lower(), *match.span()) for match in _WORD.finditer(text))
    return [word for word in found if word[0] not in stop]


def rarest(question: str, analyzer: str) -> list[str]:
    """Return at most `MAX_WORDS` of a question's telling words, the longest first: the rarest."""
    words = dict.fromkeys(word for word, _, _ in telling(question, analyzer))
    return sorted(words, key=len, reverse=True)[:MAX_WORDS]


def lookups(words: Sequence[str], group_id: str) -> list[str]:
    """Return a Lucene query for each word, which finds it in one group.

    Only runs of letters, digits and underscores get in, in lower case, so no part of a question can
    act as syntax. The group's clause is required and adds nothing to the score.
    """
    group = f"+group_key:{group_key(group_id)}^0"
    return [f"{group} +(content:{word} tags:{word})" for word in words]


def any_word(text: str, group_id: str, fields: Sequence[str]) -> str:
    """Return a Lucene query for what any of a text's words occurs in, of one group; see `lookups`.

    A text without a word finds nothing.
    """
    words = dict.fromkeys(word for word, _, _ in telling(text, ""))
    clauses = " ".join(f"{field}:{word}" for word in list(words)[:MAX_WORDS] for field in fields)
    return f"+group_key:{group_key(group_id)}^0 +({clauses})" if clauses else "-*:*"
