"""Entities that are probably one and the same, found by rule. No I/O.

Each rule is specific: it gives a score and a reason in words. Rules that need a name to be the only
one of its kind look at all entities of a group. The score of a rule is fixed; it orders the rules
by their worth, and is not a probability.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from graph_memory.domain.models import EntityKind
from graph_memory.ranking.mentions import MAX_CHARACTERS, mentioned

#: Entities of a text among which stated aliases are looked for.
_MOST = 1000

#: Characters of the shortest names that may differ in spaces alone.
_LEAST_JOINED = 6

#: Latin letters that Unicode does not decompose, and the German ways to write an umlaut in ASCII.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})

_TITLES = frozenset(("dr", "herr", "frau", "miss", "mr", "mrs", "ms", "prof", "professor", "sir"))
_SMALL = frozenset(("of", "the", "and", "for", "de", "la", "le", "der", "die", "das", "und", "van"))

_DROPPED = re.compile(r"['’·]|(?<!\d)\.|\.(?!\d)")
_SPACED = re.compile(r"\s+|(?<!\d)[-–]+|[-–]+(?!\d)")
_DIGITS = re.compile(r"\d+")
_TOKENS = re.compile(r"\d+|[^\W\d_]+|[^\w-]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OUTER = re.compile(r"(_*)(.*?)(_*)")
#: A letter without a full stop may be no initial, as in "vitamin C".
_INITIALS = re.compile(r"((?:[^\W\d_]\.\s?)+)([^\W\d_]{2,})")
_LAST_INITIAL = re.compile(r"([^\W\d_]{2,}) ([^\W\d_])\.")
_MIDDLE_INITIAL = re.compile(r"([^\W\d_]{2,}) (?:[^\W\d_]\. ?)+([^\W\d_]{2,})")

#: The text between two names of one thing. What `parted` matches needs a sign before it: in
#: "Ada nicknamed Bob" there are two persons.
_ALSO = re.compile(
    r"[`\"'”’]?(?P<sign>\s*[,(–—]|\s*\bis|\s*\bwas)?\s*(?:(?:who|which)\s+is\s+)?"
    r"(?P<words>(?:also|better|otherwise|formerly|previously|widely)\s+(?:known\s+as|called|named)"
    r"|a\.?k\.?a\.?|alias|(?:also\s+)?goes\s+by\s+the\s+(?:nick)?name(?:\s+of)?"
    r"|calls\s+(?:her|him|them|it)sel(?:f|ves)"
    r"|auch\s+bekannt\s+als|auch\s+genannt|aussi\s+connue?\s+sous\s+le\s+nom\s+de"
    r"|también\s+conocid[oa]\s+como|(?P<parted>known\s+as|nicknamed|short\s+for))"
    r"[\s:\"'“‘`]+(?:the\s+)?",
    re.IGNORECASE,
)

#: A text that states an alias has one of these, in lower case: a bracket, or words.
_MARKS = ("(", "<")
_PHRASES = (
    *("known as", "called", "named", "a.k.a", " aka ", "alias", "the name", "the nickname"),
    *("calls ", "bekannt als", "genannt", "sous le nom", "conocid", "short for"),
)
SIGNS = (*_MARKS, *_PHRASES)

#: Brackets that may give another name: a word with a capital letter, words in quotation marks, a
#: mail address, or words after a short name.
_BRACKETED = re.compile(
    r"\(\s*(?:[^\W\d_a-z][\w.]*|[\"“‘'][^\"”’'()]+[\"”’'])\s*\)|[(<][^@()<>]*@"
    r"|\b[^\W\d_a-z]\w{1,9} ?\([^\W\d_a-z]"
)

_SEVERAL = re.compile(r"(?:\b(?:and|or|und|oder|et|ou|y|o)\b|&)\s*(?:the\s+)?$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?\b")
_IN_QUOTES = re.compile(r"\s*\(\s*[\"“‘']"), re.compile(r"[\"”’']\s*\)")
_IN_BRACKETS = re.compile(r"\s*\(\s*"), re.compile(r"\s*\)")
_MAIL_OF = re.compile(r"\s*[(<]\s*(?:e?-?mail:?\s*|mailto:)?"), re.compile(r"\s*[)>]")

_NAMES = (EntityKind.NAME, EntityKind.CODE, EntityKind.IDENTIFIER)
Identity = tuple[EntityKind, str]


class Known(NamedTuple):
    """An entity of a group."""

    entity_id: str
    kind: EntityKind
    key: str  #: the normalised form


class Alias(NamedTuple):
    """Two entities that are probably one, by their ids in order."""

    first_id: str
    second_id: str
    score: float  #: 0 to 1
    reason: str


class Stated(NamedTuple):
    """Two entities that a text states to be one."""

    first: Identity
    second: Identity
    reason: str


class _Name(NamedTuple):
    entity_id: str
    key: str
    words: tuple[str, ...]
    forms: frozenset[tuple[str, ...]]  #: its words in plain letters, in one or two ways


def aliases(entities: Iterable[Known]) -> list[Alias]:
    """Return the pairs of entities that are probably one, the best reason of each pair.

    Args:
        entities: All entities of a group. Others change which names are the only ones of a kind.
    """
    ordered = sorted(entities, key=lambda each: (each.key, each.entity_id))
    names = [_name(each) for each in ordered if each.kind is EntityKind.NAME]
    found: dict[tuple[str, str], Alias] = {}
    for alias in (*_spellings(names), *_titled(names), *_initials(names), *_symbols(ordered)):
        _keep(found, alias)
    for alias in _mails(ordered, names):
        _keep(found, alias)
    return [found[pair] for pair in sorted(found)]


def stated(text: str) -> list[Stated]:
    """Return the pairs of entities that a text states to be one: "X, also called Y", "X (XYZ)"."""
    text = text[:MAX_CHARACTERS]
    if not _may_state(text):
        return []
    places = sorted(
        (place.start, place.end, (each.kind, each.key))
        for each in mentioned(text, _MOST)
        for place in each.places
    )
    found: list[Stated] = []
    for (start, end, first), (begin, after, second) in pairwise(places):
        reason = _states(text, (start, end), (begin, after), first, second)
        if reason and first != second:
            found.append(Stated(first, second, reason))
    return found


def _may_state(text: str) -> bool:
    """Return False for most texts that state no alias; their entities need not be read."""
    if any(mark in text for mark in _MARKS) and _BRACKETED.search(text):
        return True
    lower = text.lower()
    return any(phrase in lower for phrase in _PHRASES) and _ALSO.search(text) is not None


def _keep(found: dict[tuple[str, str], Alias], alias: Alias) -> None:
    pair = (alias.first_id, alias.second_id)
    if pair not in found or found[pair].score < alias.score:
        found[pair] = alias


def _alias(one: str, other: str, score: float, reason: str) -> Alias:
    first, second = sorted((one, other))
    return Alias(first, second, score, reason)


def _plain(text: str) -> str:
    """Return a text in small letters, Latin ones without accents."""
    if text.isascii():
        return text.lower()
    kept: list[str] = []
    for letter in unicodedata.normalize("NFD", text.casefold()):
        if not (unicodedata.combining(letter) and kept and kept[-1].isascii()):
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTERS)


def _words(plain: str) -> tuple[str, ...]:
    return tuple(word for word in _SPACED.split(_DROPPED.sub("", plain)) if word)


def _name(entity: Known) -> _Name:
    words = in_ascii = _words(_plain(entity.key))
    if not entity.key.isascii():
        in_ascii = _words(_plain(unicodedata.normalize("NFC", entity.key).translate(_UMLAUTS)))
    return _Name(entity.entity_id, entity.key, words, frozenset((words, in_ascii)))


def _spellings(names: Sequence[_Name]) -> Iterator[Alias]:
    """Yield names that differ in accents, punctuation or spaces."""
    same = defaultdict[tuple[str, ...], list[_Name]](list)
    joined = defaultdict[str, list[_Name]](list)
    for name in (each for each in names if each.words):
        for form in name.forms:
            same[form].append(name)
        together = "".join(name.words)
        if len(together) >= _LEAST_JOINED:
            joined[f"{together} {_DIGITS.findall(' '.join(name.words))}"].append(name)
    for first, other in _with_first(same.values()):
        yield _alias(first, other, 0.9, "the names differ in accents or punctuation only")
    for first, other in _with_first(joined.values()):
        yield _alias(first, other, 0.8, "the names differ in spaces only")


def _with_first(groups: Iterable[list[_Name]]) -> Iterator[tuple[str, str]]:
    """Yield the first name of each group with each of the others."""
    for group in groups:
        for name in group[1:]:
            yield group[0].entity_id, name.entity_id


def _titled(names: Sequence[_Name]) -> Iterator[Alias]:
    """Yield names that differ in a title only, such as "Dr. Alice Smith"."""
    by_words = {name.words: name for name in reversed(names)}
    for name in names:
        words = name.words
        while words and words[0] in _TITLES:
            words = words[1:]
        if words != name.words and len(words) > 1 and words in by_words:
            reason = "the names differ in a title only"
            yield _alias(by_words[words].entity_id, name.entity_id, 0.9, reason)


def _initials(names: Sequence[_Name]) -> Iterator[Alias]:
    """Yield names with initials, and the only whole name of the group that fits."""
    whole = [name for name in names if _is_whole(name)]
    by_last = _by(whole, lambda name: name.words[-1])
    by_first = _by(whole, lambda name: name.words[0])
    for name in names:
        spelled = _plain(name.key)
        if found := _INITIALS.fullmatch(spelled):
            letters = re.findall(r"[^\W\d_]", found[1])
            reason = "the initials and the last name fit this name only"
            yield from _only(name, _fitting(by_last[found[2]], letters), reason)
        elif found := _MIDDLE_INITIAL.fullmatch(spelled):
            fits = [each for each in by_last[found[2]] if each.words == (found[1], found[2])]
            yield from _only(name, fits, "the names differ in middle initials only")
        elif found := _LAST_INITIAL.fullmatch(spelled):
            fits = [each for each in by_first[found[1]] if each.words[-1].startswith(found[2])]
            reason = "the first name and the initial fit this name only"
            yield from _only(name, fits, reason)


def _by(names: Iterable[_Name], key: Callable[[_Name], str]) -> defaultdict[str, list[_Name]]:
    groups = defaultdict[str, list[_Name]](list)
    for name in names:
        groups[key(name)].append(name)
    return groups


def _is_whole(name: _Name) -> bool:
    """Return True for a first and a last name, perhaps with names between."""
    words = name.words
    return (
        1 < len(words) <= 4
        and all(len(word) > 1 and word.isalpha() for word in words)
        and words[0] not in _TITLES
    )


def _fitting(whole: Iterable[_Name], letters: Sequence[str]) -> list[_Name]:
    """Return the names of which the first letters are initials, in their order."""
    return [
        name
        for name in whole
        if len(letters) < len(name.words)
        and all(word[0] == letter for word, letter in zip(name.words, letters, strict=False))
    ]


def _only(name: _Name, fits: Sequence[_Name], reason: str) -> Iterator[Alias]:
    if len({each.words for each in fits}) == 1:
        yield _alias(name.entity_id, fits[0].entity_id, 0.8, reason)


def _mails(entities: Iterable[Known], names: Sequence[_Name]) -> Iterator[Alias]:
    """Yield mail addresses, and the only name of the group that they spell."""
    spelled, shortened = defaultdict[str, list[_Name]](list), defaultdict[str, list[_Name]](list)
    for name in filter(_is_whole, names):
        for words in name.forms:
            for form in (words, words[::-1]):
                spelled[".".join(form)].append(name)
                spelled["".join(form)].append(name)
            shortened[words[0][0] + words[-1]].append(name)
            shortened[f"{words[0][0]}.{words[-1]}"].append(name)
    for mail in entities:
        if mail.kind is EntityKind.MAIL:
            local = re.sub(r"[._-]+", ".", _plain(mail.key.split("@")[0].split("+")[0]))
            yield from _mail(mail, spelled.get(local, ()), 0.9, "the address spells the name")
            reason = "the initial and the last name in the address fit this name only"
            yield from _mail(mail, shortened.get(local, ()), 0.75, reason)


def _mail(mail: Known, names: Sequence[_Name], score: float, reason: str) -> Iterator[Alias]:
    if len({name.words for name in names}) == 1:
        yield _alias(mail.entity_id, names[0].entity_id, score, reason)


def _symbols(entities: Iterable[Known]) -> Iterator[Alias]:
    """Yield symbols and identifiers that differ in the way to join their words only."""
    same = defaultdict[tuple[EntityKind, tuple[str, ...]], list[Known]](list)
    for each in entities:
        if each.kind is EntityKind.CODE and len(words := _symbol_words(each.key)) > 1:
            same[each.kind, words].append(each)
        elif each.kind is EntityKind.IDENTIFIER:
            same[each.kind, tuple(_TOKENS.findall(each.key))].append(each)
    for (kind, _), group in same.items():
        for other in group[1:]:
            reason = f"the same {kind} in another spelling"
            yield _alias(group[0].entity_id, other.entity_id, 0.85, reason)


def _symbol_words(symbol: str) -> tuple[str, ...]:
    """Return the words of a symbol, its dots and outer underscores; none for a constant."""
    if symbol.isupper():
        return ()
    words: list[str] = []
    for part in re.split(r"(\.|::)", symbol):
        if outer := _OUTER.fullmatch(part):
            inner = re.split(r"[_-]+", _CAMEL.sub("_", outer[2]))
            words += [outer[1], *(word.lower() for word in inner), outer[3]]
    return tuple(word for word in words if word)


def _states(
    text: str, one: tuple[int, int], other: tuple[int, int], first: Identity, second: Identity
) -> str | None:
    """Return what states that two neighbouring mentions of a text are one, or None."""
    if _SEVERAL.search(text, max(0, one[0] - 20), one[0]):
        return None
    between, after = text[one[1] : other[0]], other[1]
    if _POSSESSIVE.match(text, after):
        return None
    if first[0] in _NAMES and second[0] in _NAMES:
        return _names_one(text, between, after, first, second)
    if first[0] is EntityKind.NAME and second[0] is EntityKind.MAIL:
        local = _plain(second[1].split("@")[0])
        named = any(len(word) > 2 and word in local for word in _words(_plain(first[1])))
        if named and _around(text, between, after, _MAIL_OF):
            return "a memory gives the address after the name, and it has a word of the name"
    return None


def _names_one(
    text: str, between: str, after: int, first: Identity, second: Identity
) -> str | None:
    """Return what states that two names with a text between them are of one thing, or None."""
    also = _ALSO.fullmatch(between)
    if also and (also["sign"] or not also["parted"]):
        return f"a memory states it: '{' '.join(also['words'].lower().split())}'"
    if _around(text, between, after, _IN_QUOTES):
        return "a memory gives the second name in brackets and quotation marks"
    if _abbreviates(first, second) and _around(text, between, after, _IN_BRACKETS):
        return "a memory gives the abbreviation, or what it is short for, in brackets"
    return None


def _around(
    text: str, between: str, after: int, marks: tuple[re.Pattern[str], re.Pattern[str]]
) -> bool:
    return bool(marks[0].fullmatch(between) and marks[1].match(text, after))


def _abbreviates(first: Identity, second: Identity) -> bool:
    """Return True if one of two names has the initials of the words of the other."""
    short, whole = sorted((_words(_plain(each[1])) for each in (first, second)), key=len)
    if len(short) != 1 or len(whole) < 2:
        return False
    main = [word for word in whole if word not in _SMALL]
    return short[0] in ("".join(w[0] for w in whole), "".join(w[0] for w in main))
