"""The entities that a text mentions, found by rule: names, addresses, paths, codes, dates. No I/O.

An entity is identified by its kind and its key, the normalised form of its spellings. What is found
depends on the text alone. The rules for names suit languages that capitalise little but names.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from graph_memory.domain.models import EntityKind
from graph_memory.ranking.terms import Word, content_words, written_as_one
from graph_memory.ranking.time_expressions import time_expressions
from graph_memory.ranking.time_rules import YEAR

#: Characters of a text that are read, and places that are kept of one entity.
MAX_CHARACTERS = 100_000
MAX_PLACES = 20

#: Length of the longest key; a longer text is not an entity.
MAX_KEY_CHARACTERS = 300

#: Words by their use: endings of file names; verbs that follow a name at the beginning of a
#: sentence; and words that begin a sentence with a capital letter and are not names.
MENTION_WORDS = Path(__file__).with_name("mention_words.json")
_WORDS: Mapping[str, Sequence[str]] = {
    use: words.split() for use, words in json.loads(MENTION_WORDS.read_text("utf-8")).items()
}
_EXTENSIONS = "|".join(_WORDS["file_extensions"])
_ORDINARY = frozenset(_WORDS["ordinary"])

#: What shows that the first word of a sentence is a name.
_CUE = re.compile(rf"['’]s\b|:(?!//)| (?:and [A-Z]|{'|'.join(_WORDS['verbs_after_a_name'])})\b")

_MAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\W\d_]{2,}")
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://(?:www\.)?|www\.)(?P<host>[^/?#]+)(?P<rest>.*)", re.I)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}", re.I)
_LETTERS_AND_DIGITS = re.compile(r"(?=[^\d]*\d)[^\W\d_][\w.-]*")
#: Hyphenated words with a time or a number, such as "mid-1990s" and "top-10".
_NO_IDENTIFIER = re.compile(r"(?:mid|pre|post|late|early|top|sub|over|under)-?\d.*", re.I)
_FILE = re.compile(rf"(?:[a-z0-9_.-]+|[A-Z][A-Z_]+)\.(?:{_EXTENSIONS})")
_FILE_ENDING = re.compile(rf"\.(?:{_EXTENSIONS})$")
_PATH_START = re.compile(r"(?<![\w/\\])(?:~|\.{1,2})?[/\\]{1,2}$")
_DRIVE = re.compile(r"[A-Za-z]:\\")
_CODE = re.compile(r"(?=.*[a-zA-Z])(?:\w*[^\W_]_\w+|_+\w+(?:_\w+)*)[\w.]*")
_DOTTED = re.compile(r"[a-zA-Z_][\w]*(?:(?:\.|::)[a-zA-Z_]\w*)*")
_LOWER_CAMEL = re.compile(r"[a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+")
_YEAR = re.compile(YEAR)

#: What stands between two words of one name.
_WITHIN_NAME = re.compile(
    r"[ \u00a0]|-|(?<=\b[A-Z])\. ?|(?<=\b(?:Dr|Mr|Ms|St))\. |(?<=\bMrs)\. |(?<=\bProf)\. "
    r"|[ ](?:of|of the|van|van der|van den|von|von der|de|de la|der|den|di|da|del|du|la|le|al)[ ]"
)
_MAX_NAME_WORDS = 6

#: What may stand between the end of a sentence and its first word.
_OPENING = " \t\u00a0\"'“”‘’«»([{*#>-–—•_"
_ENDING = frozenset(".!?:;…。！？|\n\r")


class Place(NamedTuple):
    """A part of a text: the index of its first character, and after its last."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mentioned:
    """An entity that a text mentions.

    Attributes:
        kind: The kind of entity.
        key: The normalised form; kind and key identify the entity.
        places: The first `MAX_PLACES` places of the text that mention it, in their order.
    """

    kind: EntityKind
    key: str
    places: tuple[Place, ...]


class _Found(NamedTuple):
    kind: EntityKind
    key: str
    start: int
    end: int


def mentioned(text: str, most: int) -> list[Mentioned]:
    """Return the entities that a text mentions, in the order of their first places.

    Args:
        text: Any text; what follows the first `MAX_CHARACTERS` is not read.
        most: Maximum number of entities.
    """
    text = text[:MAX_CHARACTERS]
    places: dict[tuple[EntityKind, str], list[Place]] = {}
    for found in sorted(_all(text), key=lambda each: each.start):
        if not found.key or len(found.key) > MAX_KEY_CHARACTERS:
            continue
        identity = (found.kind, found.key)
        if identity in places or len(places) < most:
            places.setdefault(identity, []).append(Place(found.start, found.end))
    return [
        Mentioned(kind, key, tuple(found[:MAX_PLACES])) for (kind, key), found in places.items()
    ]


def identity(name: str) -> tuple[EntityKind, str]:
    """Return the kind and the key of an entity with a name, as a text would mention it."""
    plain = name.strip()[:MAX_KEY_CHARACTERS]
    if plain.replace(" ", "").isalpha() and not _LOWER_CAMEL.fullmatch(plain):
        return EntityKind.NAME, name_key(plain)
    for found in _all(plain):
        if found.start == 0 and found.end == len(plain) and found.kind is not EntityKind.NAME:
            return found.kind, found.key
    return EntityKind.NAME, name_key(plain)


def name_key(name: str) -> str:
    """Return the key of a name: without case, forms of Unicode and invisible characters."""
    plain = unicodedata.normalize("NFKC", name).replace("’", "'").casefold()
    visible = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return " ".join(visible.split())


def _all(text: str) -> list[_Found]:
    """Return all mentions of a text; none overlaps another."""
    words = [
        word
        for word in content_words(text, "english")
        if word.end - word.start <= MAX_KEY_CHARACTERS
    ]
    found = list(_compounds(text))
    found += _outside(found, _dates(text))
    found += _outside(found, _code(text, words))
    found += _outside(found, _names(text, words))
    return found


def _outside(found: Iterable[_Found], more: Iterable[_Found]) -> list[_Found]:
    """Return what does not overlap with what was found before."""
    taken = {index for each in found for index in range(each.start, each.end)}
    return [each for each in more if taken.isdisjoint(range(each.start, each.end))]


def _compounds(text: str) -> Iterator[_Found]:
    """Yield the addresses, URLs, paths and identifiers of a text."""
    for run in written_as_one(text):
        start, end = run[0].start, run[-1].end
        if end - start <= MAX_KEY_CHARACTERS and (found := _compound(text, start, end)):
            yield found


def _compound(text: str, start: int, end: int) -> _Found | None:
    written = text[start:end]
    if _MAIL.fullmatch(written):
        return _Found(EntityKind.MAIL, written.lower(), start, end)
    if url := _URL.fullmatch(written):
        key = url["host"].lower() + url["rest"].rstrip("/")
        return _Found(EntityKind.URL, key, start, end)
    opening = _PATH_START.search(text, max(0, start - 4), start)
    if opening and re.search(r"[^\W\d]", written):
        begin = opening.start()
        return _Found(EntityKind.PATH, _path_key(text[begin:end]), begin, end)
    separated = "/" in written or "\\" in written
    if _DRIVE.match(written) or (_FILE_ENDING.search(written) if separated else None):
        return _Found(EntityKind.PATH, _path_key(written), start, end)
    if _FILE.fullmatch(written):
        return _Found(EntityKind.PATH, written, start, end)
    if _is_identifier(written):
        return _Found(EntityKind.IDENTIFIER, written.lower(), start, end)
    return None


def _path_key(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _is_identifier(written: str) -> bool:
    if _UUID.fullmatch(written) or _VERSION.fullmatch(written):
        return True
    letters = _LETTERS_AND_DIGITS.fullmatch(written)
    return letters is not None and _NO_IDENTIFIER.fullmatch(written) is None


def _dates(text: str) -> Iterator[_Found]:
    """Yield the days and months of a text that name their year."""
    if not _YEAR.search(text):
        return
    for each in time_expressions(text, datetime(2000, 1, 1, tzinfo=UTC)):
        if len(each.periods) != 1 or not _YEAR.search(text, each.start, each.end):
            continue
        start, end = each.periods[0].start, each.periods[0].end
        if end - start == timedelta(days=1):
            yield _Found(EntityKind.DATE, start.date().isoformat(), each.start, each.end)
        elif start.day == end.day == 1 and timedelta(27) < end - start < timedelta(32):
            yield _Found(EntityKind.DATE, f"{start:%Y-%m}", each.start, each.end)


def _code(text: str, words: Iterable[Word]) -> Iterator[_Found]:
    """Yield the symbols of program code: what only code spells so, or stands in backticks."""
    for match in re.finditer(r"`([^`\n]{1,100})`", text):
        symbol = match[1].removesuffix("()")
        if _DOTTED.fullmatch(symbol) and not symbol[0].isupper():
            yield _Found(EntityKind.CODE, symbol, match.start(1), match.start(1) + len(symbol))
    for _, start, end in words:
        word = text[start:end]
        called = text.startswith("()", end) and _DOTTED.fullmatch(word)
        quoted = text[start - 1 : start] == "`" and text[end : end + 1] == "`"
        if not quoted and (called or _CODE.fullmatch(word) or _LOWER_CAMEL.fullmatch(word)):
            yield _Found(EntityKind.CODE, word, start, end)


def _names(text: str, words: Iterable[Word]) -> Iterator[_Found]:
    """Yield the names of a text: words with capital letters that do not only begin a sentence."""
    if text.isupper():
        return
    runs = list(_capitalised(text, words))
    sure = {text[word.start : word.end] for run in runs for word in run[_initial(text, run) :]}
    for run in runs:
        if _initial(text, run):
            run = _without_ordinary(text, run, sure)
        if run:
            start, end = run[0].start, run[-1].end
            yield _Found(EntityKind.NAME, name_key(text[start:end]), start, end)


def _without_ordinary(text: str, run: list[Word], sure: set[str]) -> list[Word]:
    """Return a run that begins a sentence without a first word that may not be a name."""
    if len(run) > 1:
        return run
    first = text[run[0].start : run[0].end]
    inner_capital = any(c.isupper() for c in first[1:])
    is_name = first in sure or inner_capital or _CUE.match(text, run[0].end)
    return run if is_name else []


def _capitalised(text: str, words: Iterable[Word]) -> Iterator[list[Word]]:
    """Yield each run of capitalised words that may be one name."""
    run: list[Word] = []
    for word in words:
        if not _is_capitalised(text, word):
            continue
        joined = run and len(run) < _MAX_NAME_WORDS
        if joined and _WITHIN_NAME.fullmatch(text, run[-1].end, word.start):
            run.append(word)
            continue
        if run:
            yield run
        run = [word]
    if run:
        yield run


def _is_capitalised(text: str, word: Word) -> bool:
    if not text[word.start].isupper() or word.term in _ORDINARY:
        return False
    return word.end - word.start > 1


def _initial(text: str, run: list[Word]) -> bool:
    """Return True if a run begins a sentence."""
    before = run[0].start - 1
    while before >= 0 and text[before] in _OPENING:
        before -= 1
    return before < 0 or text[before] in _ENDING
