"""Content words of a text, and Lucene queries that find them."""

import re
from collections.abc import Sequence

from graph_memory.domain.encoding import group_key

#: Query terms of one question; more take time and find nothing more.
MAX_TERMS = 32

_WORD = re.compile(r"\w+")

#: English stop words, more than an analyser drops: they occur in questions and find no answers.
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


def content_words(text: str, analyzer: str) -> list[tuple[str, int, int]]:
    """Return the words of a text that can find something, in lower case, with their spans.

    Args:
        text: Any text.
        analyzer: Analyser of the full-text index; `english` leaves stop words out.

    Returns:
        Word, index of its first character and index after its last one, for each occurrence.
    """
    stop = _ENGLISH if analyzer == "english" else frozenset[str]()
    found = ((match[0].lower(), *match.span()) for match in _WORD.finditer(text))
    return [word for word in found if word[0] not in stop]


def query_terms(question: str, analyzer: str) -> list[str]:
    """Return at most `MAX_TERMS` distinct content words, the longest first.

    Length stands for rarity, which only the index knows.
    """
    words = dict.fromkeys(word for word, _, _ in content_words(question, analyzer))
    return sorted(words, key=len, reverse=True)[:MAX_TERMS]


def names(question: str, analyzer: str) -> dict[str, str]:
    """Return the names of a question as it spells them, by query term, in their order.

    A name has a digit, or a capital letter that does not begin the question.
    """
    begin = len(question) - len(question.lstrip())
    found: dict[str, str] = {}
    for word, start, end in content_words(question, analyzer):
        inner = question[start + (start == begin) : end]
        if any(c.isupper() or c.isdigit() for c in inner):
            found.setdefault(word, question[start:end])
    return found


def term_queries(terms: Sequence[str], group_id: str) -> list[str]:
    """Return a Lucene query for each term that finds it in one group.

    Terms consist of letters, digits and underscores in lower case, so no part of a question can act
    as syntax. The clause of the group is required and adds nothing to the score.
    """
    group = f"+group_key:{group_key(group_id)}^0"
    return [f"{group} +(content:{term} tags:{term})" for term in terms]


def any_term_query(text: str, group_id: str, fields: Sequence[str]) -> str:
    """Return a Lucene query for any of a text's words in one group; see `term_queries`.

    The query of a text without words finds nothing.
    """
    words = dict.fromkeys(word for word, _, _ in content_words(text, ""))
    clauses = " ".join(f"{field}:{word}" for word in list(words)[:MAX_TERMS] for field in fields)
    return f"+group_key:{group_key(group_id)}^0 +({clauses})" if clauses else "-*:*"
