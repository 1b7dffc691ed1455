"""Words, identifiers and phrases of a text, and Lucene queries that find them.

A text is split as Lucene's standard tokenizer splits it, so that a query term equals a term of the
index: `O'Brien`, `user_id`, `config.toml` and `v1.2.3` are one word each. Chinese and Japanese have
no spaces; each two neighbouring characters count as a word.

Source: Unicode Standard Annex 29, word boundaries.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from graph_memory.domain.encoding import group_key

#: Query terms of one question; more take time and find nothing more.
MAX_TERMS = 32

#: Phrases of one question, and words of the longest one.
MAX_PHRASES = 8
MAX_PHRASE_WORDS = 64

#: Content words from which a question may be a quotation of a memory.
QUOTATION_WORDS = 5

#: Scripts without spaces, Han and Hiragana, as the inside of a character class.
_UNSPACED = (
    "\u2e80-\u2fdf\u3005\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER, _PART = rf"[^\W\d_{_UNSPACED}]", rf"[^\W{_UNSPACED}]+"
_WORD = re.compile(
    rf"[{_UNSPACED}]+|{_PART}(?:(?:(?<={_LETTER})[.:'’·](?={_LETTER})|(?<=\d)[.,;'’](?=\d)){_PART})*"
)
_UNSPACED_START = re.compile(rf"[{_UNSPACED}]")

#: No other names.
NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})

#: What joins the words of a path, an address, a URL or a hyphenated word.
_JOINER = re.compile(r"[-./\\@:#+~=&?%]+")

#: Quotation marks of several scripts: an opening one, then those that close it. Single marks that
#: are apostrophes too are left out.
_QUOTATION_MARKS = ('""', "``", "“”", "„“”", "‚‘", "«»", "»«", "‹›", "›‹", "「」", "『』", "《》")
_QUOTED = re.compile("|".join(f"{m[0]}([^{m[1:]}]+)[{m[1:]}]" for m in _QUOTATION_MARKS))

#: An English word with an ending that the analyser keeps: "they've", "Ada'll".
_SHORT_FORM = re.compile(r"(.+?)(n['’]t|['’](?:s|ll|m|re|ve|d|t))")

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


#: Analysers that keep each word of `_PLAIN`, except stop words.
_KEEPING = ("english", "standard", "standard-no-stop-words")

#: A word of ASCII letters and digits, but not the text of a truth value or number.
_PLAIN = re.compile(r"(?!true$|false$|nan$|infinity$)[a-z]{2}[a-z0-9_]{0,100}")


class Word(NamedTuple):
    """A word of a text, in lower case, with the index of its first character and after its last."""

    term: str
    start: int
    end: int


def content_words(text: str, analyzer: str) -> list[Word]:
    """Return the words of a text that can find something, for each occurrence.

    Args:
        text: Any text.
        analyzer: Analyser of the full-text index; `english` leaves stop words out. Those of other
            analysers are returned; a search learns from the index which words it drops.
    """
    return [each for word in _words(text) for each in _content(word, analyzer)]


def content_terms(text: str, analyzer: str) -> set[str]:
    """Return the distinct terms of `content_words`, without their places, in a quarter of the time.

    Args:
        text: Any text.
        analyzer: Analyser of the full-text index; `english` leaves stop words out.
    """
    if not text.isascii():
        return {word.term for word in content_words(text, analyzer)}
    found = {term for term in _WORD.findall(text.lower()) if term.strip("_")}
    if analyzer != "english":
        return found
    contracted = {term for term in found if "'" in term}
    words = (Word(term, 0, len(term)) for term in contracted)
    return (found - contracted - _ENGLISH) | {
        each.term for word in words for each in _content(word, analyzer)
    }


def query_terms(question: str, analyzer: str) -> list[str]:
    """Return at most `MAX_TERMS` distinct content words, the longest first.

    Length stands for rarity, which only the index knows.
    """
    words = dict.fromkeys(word.term for word in content_words(question, analyzer))
    return sorted(words, key=len, reverse=True)[:MAX_TERMS]


def query_phrases(question: str, analyzer: str) -> list[str]:
    """Return at most `MAX_PHRASES` distinct phrases that a memory may contain word by word.

    A phrase is a part in quotation marks, or what is written without spaces: a path, an address, a
    URL, a hyphenated name with a digit. Its words are in lower case with a space between.
    """
    found = [*_quoted(question), *written_as_one(question)]
    long = (phrase for phrase in found if _is_phrase(phrase, analyzer))
    distinct = dict.fromkeys(" ".join(word.term for word in phrase) for phrase in long)
    return list(distinct)[:MAX_PHRASES]


def quotation(question: str, analyzer: str) -> str | None:
    """Return all words of a question as a phrase, or None if it cannot be a quotation.

    A quotation has at least `QUOTATION_WORDS` content words. A text that ends with a question mark
    is none: a stored question would come before its answer.
    """
    if question.rstrip().endswith(("?", "？", "؟")):
        return None
    words = _words(question)
    content = sum(len(_content(word, analyzer)) for word in words)
    fits = content >= QUOTATION_WORDS and len(words) <= MAX_PHRASE_WORDS
    return " ".join(word.term for word in words) if fits else None


def names(question: str, analyzer: str) -> dict[str, str]:
    """Return the names of a question as it spells them, by query term, in their order.

    A name has a digit, an underscore, or a capital letter that does not begin the question.
    """
    begin = len(question) - len(question.lstrip())
    found: dict[str, str] = {}
    for word, start, end in content_words(question, analyzer):
        inner = question[start + (start == begin) : end]
        if any(c.isupper() or c.isdigit() or c == "_" for c in inner):
            found.setdefault(word, question[start:end])
    return found


def term_queries(
    terms: Sequence[str], group_id: str, other: Mapping[str, Sequence[str]] = NOTHING
) -> list[str]:
    """Return a Lucene query for each term or phrase that finds it in one group.

    A term is also found by the `other` phrases that stand for it.

    The terms stand in quotation marks, so the analyser of the index reads them as it reads
    memories, and no part of a question can act as syntax. The clause of the group is required and
    adds nothing to the score.
    """
    group = f"+group_key:{group_key(group_id)}^0"
    spelt = ((term, *other.get(term, ())) for term in terms)
    return [
        f"{group} +({' '.join(c for each in names for c in _clauses(each, ('content', 'tags')))})"
        for names in spelt
    ]


def any_term_query(text: str, group_id: str, fields: Sequence[str]) -> str:
    """Return a Lucene query for any of a text's words in one group; see `term_queries`.

    The query of a text without words finds nothing.
    """
    words = dict.fromkeys(word.term for word in content_words(text, ""))
    clauses = " ".join(
        clause for word in list(words)[:MAX_TERMS] for clause in _clauses(word, fields)
    )
    return f"+group_key:{group_key(group_id)}^0 +({clauses})" if clauses else "-*:*"


def tag_query(tags: Sequence[str], group_id: str, analyzer: str) -> str | None:
    """Return a Lucene query for all memories of a group that may have one of the tags.

    The query has one word of each tag, so it also finds memories with other tags.

    Args:
        tags: Tags, at least one.
        group_id: The tenant.
        analyzer: Analyser of the full-text index.

    Returns:
        None if the analyser might drop a tag, so that the query would find too few. Other clients
        may have stored tags that are numbers or truth values, which the index does not contain.
    """
    words = [_indexed_word(tag) for tag in tags]
    if analyzer not in _KEEPING or not all(words):
        return None
    clauses = " ".join(f'tags:"{word}"' for word in words)
    return f"+group_key:{group_key(group_id)}^0 +({clauses})"


def _indexed_word(tag: str) -> str:
    """Return the longest word of a tag that the index contains in any case; empty if unknown."""
    words = [word.term for word in _words(tag)]
    kept = [each for each in words if _PLAIN.fullmatch(each) and each not in _ENGLISH]
    return max(kept, key=len, default="")


def _clauses(term: str, fields: Sequence[str]) -> Iterator[str]:
    """Yield a clause for each field, and for both apostrophes, which the index distinguishes."""
    for spelling in dict.fromkeys((term.replace("’", "'"), term.replace("'", "’"))):
        yield from (f'{field}:"{spelling}"' for field in fields)


def _words(text: str) -> list[Word]:
    """Return all words of a text; a run of a script without spaces is one word.

    Underscores alone are not a word, as in the index.
    """
    found = (match.span() for match in _WORD.finditer(_without_marks(text)))
    return [
        Word(text[start:end].lower(), start, end)
        for start, end in found
        if text[start] != "_" or text[start:end].strip("_")
    ]


def _without_marks(text: str) -> str:
    """Return a text of equal length with letters in place of combining and invisible characters.

    They belong to the word that they stand in.
    """
    if text.isascii():
        return text
    return "".join(c if c.isalnum() or not _is_mark(c) else "x" for c in text)


def _is_mark(character: str) -> bool:
    category = unicodedata.category(character)
    return category.startswith("M") or category == "Cf"


def _content(word: Word, analyzer: str) -> list[Word]:
    """Return the query terms of a word: itself, each two characters of a run, or none."""
    term, start, end = word
    if _UNSPACED_START.match(term) and len(term) == end - start:
        last = max(1, len(term) - 1)
        return [Word(term[i : i + 2], start + i, min(start + i + 2, end)) for i in range(last)]
    if analyzer != "english":
        return [word]
    if short := _SHORT_FORM.fullmatch(term):
        term, end = short[1], end - len(short[2])
        if short[2].startswith("n"):
            return []
    return [] if term in _ENGLISH else [Word(term, start, end)]


def _quoted(question: str) -> Iterator[list[Word]]:
    """Yield the words of each part of a question that stands in quotation marks."""
    for match in _QUOTED.finditer(question):
        yield _words(match[match.lastindex or 0])


def written_as_one(text: str) -> Iterator[list[Word]]:
    """Yield the words of each path, address, URL, number and hyphenated name with a digit."""
    words = _words(text)
    first = 0
    for i in range(1, len(words) + 1):
        if i < len(words) and _JOINER.fullmatch(text[words[i - 1].end : words[i].start]):
            continue
        # Hyphens alone join words of the language, such as "long-term", which other texts split.
        if re.search(r"[^\w-]|\d", text[words[first].start : words[i - 1].end]):
            yield words[first:i]
        first = i


def _is_phrase(words: Sequence[Word], analyzer: str) -> bool:
    """Return whether words are a phrase: two or more with a content word, and not too many.

    A run of a script without spaces may be several words.
    """
    terms = sum(len(_content(word, analyzer)) for word in words)
    return terms > 0 and max(len(words), terms) >= 2 and len(words) <= MAX_PHRASE_WORDS
