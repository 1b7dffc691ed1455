"""Values of single-valued slots that a text states, such as the place where someone lives. No I/O.

A statement has a subject, a slot and a value: in "Ada lives in Paris" these are Ada, `lives_in` and
Paris. `slot_words.json` has the slots of each language, with their verbs and nouns as regular
expressions. The rules prefer to miss a statement: a question, a negation, an alternative or a time
in the past or the future states no value.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from graph_memory.domain.models import EntityKind
from graph_memory.ranking.mentions import mentioned
from graph_memory.ranking.time_rules import YEAR

SLOT_WORDS = Path(__file__).with_name("slot_words.json")

#: Characters of a text that are read, and words of the longest value.
MAX_CHARACTERS = 2000
_MOST_WORDS = 8

#: The subject of "I" and "the user".
USER = "the user"

#: Capital letters of the Latin, Greek and Cyrillic scripts, as the inside of a character class.
_CAPITALS = "".join(filter(str.isupper, map(chr, range(0x41, 0x530))))
_NAME = rf"[{_CAPITALS}][\w'-]*(?: [{_CAPITALS}][\w'.-]*){{0,3}}"
_SELF = r"(?i:I|(?:the )?user)"
_OF_SELF = r"(?i:my|(?:the )?user's)"

#: The end of a sentence; a short title does not end one.
_SENTENCE_END = re.compile(
    r"(?<!\bSt\.)(?<!\bMt\.)(?<!\bFt\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)"
    r"(?<=[.!?])\s+|\n+"
)
_SPEAKER = re.compile(rf"({_NAME}|(?i:user|assistant|system|tool)): ")
_SHORT_FORMS = (
    (re.compile(r"\bI'm\b"), "I am"),
    (re.compile(r"\bI've\b"), "I have"),
    (re.compile(r"'s (?=based|employed|enrolled|living|managed|married|residing)"), " is "),
    (re.compile(r"'s (?=studying|working)"), " is "),
)
_COMMA = re.compile(rf", ?(?![ {_CAPITALS}\d])|;| \(| [-–—] | \[")
_ARTICLE = re.compile(r"\b(?:the|an?) ", re.IGNORECASE)

#: What follows "and" in an enumeration of values.
_SHARED = re.compile(rf" *(?:[{_CAPITALS}\d]|(?:also|the|an?|in|at|as|for)\b)")
_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")

#: Digits at the end of a phone number that identify it; the rest may be a prefix.
_PHONE_DIGITS = 7

#: A year that has all days; a birthday without a year is read in it.
_LEAP_YEAR = 2000

_FORMS: Mapping[str, re.Pattern[str]] = {
    "name": re.compile(rf"(?:the )?[{_CAPITALS}].*"),
    "role": re.compile(rf"(?:(?:the|an?) )?[{_CAPITALS}].*|(?:the|an?) \w.*"),
    "word": re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?"),
    "place": re.compile(r".*\d.*"),
    "date": re.compile(r".*\d.*"),
    "number": re.compile(r"\d{1,3}\b.*"),
    "phone": re.compile(r"[+(]?\d[\d ()./-]{4,}"),
    "mail": re.compile(r"[^\s@]+@[^\s@]+\.[^\W\d_]{2,}"),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that the rules can find.

    Attributes:
        name: The name, as `lives_in`.
        example: A sentence that states a value of it.
    """

    name: str
    example: str


@dataclass(frozen=True, slots=True)
class SlotValue:
    """The value of a slot that a text states.

    Attributes:
        slot: The name of the slot.
        subject: The subject in lower case, or `USER`.
        value: The value as it is written.
        key: The words or digits that identify it.
        sure: False if the words can mean something else, as "moved to".
        alone: True if the text states nothing else.
    """

    slot: str
    subject: str
    value: str
    key: frozenset[str]
    sure: bool
    alone: bool

    def differs(self, other: "SlotValue") -> bool:
        """Check that the values differ; a value and a more exact one, "Paris, France", do not."""
        return not (self.key <= other.key or other.key <= self.key)


@dataclass(frozen=True, slots=True)
class _Found:
    slot: str
    subject: str
    rest: str
    sure: bool


@cache
def slots() -> tuple[Slot, ...]:
    """Return the slots that the rules can find, by name."""
    found = {
        name: Slot(name, entry["example"])
        for language in _languages()
        for name, entry in language.slots.items()
    }
    return tuple(found[name] for name in sorted(found))


def slot_cues(names: Iterable[str]) -> list[str]:
    """Return parts of words, in lower case, of which each text with a value has at least one."""
    wanted = set(names)
    return sorted(
        {
            cue
            for language in _languages()
            for name, entry in language.slots.items()
            if name in wanted
            for cue in entry["cues"]
        }
    )


def slot_values(text: str, names: Sequence[str], *, by_user: bool = True) -> list[SlotValue]:
    """Return the values of slots that a text states, without those it states differently.

    Args:
        text: The text; its first `MAX_CHARACTERS` are read.
        names: The slots to find.
        by_user: False if "I" is not the user, as in the words of an assistant.
    """
    found_in = sentences(text[:MAX_CHARACTERS])
    alone = len(found_in) == 1 and len(text) <= MAX_CHARACTERS
    found: dict[tuple[str, str], SlotValue] = {}
    contrary: set[tuple[str, str]] = set()
    for sentence in found_in:
        for each in _in_sentence(sentence, names, by_user, alone=alone):
            of = (each.slot, each.subject)
            if of in found and found[of].differs(each):
                contrary.add(of)
            found.setdefault(of, each)
    return [each for of, each in found.items() if of not in contrary]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text as the rules read them, with short forms written out."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    for pattern, long in _SHORT_FORMS:
        plain = pattern.sub(long, plain)
    return [" ".join(each.split()) for each in _SENTENCE_END.split(plain) if each.strip()]


def _in_sentence(
    sentence: str, names: Sequence[str], by_user: bool, *, alone: bool
) -> Iterator[SlotValue]:
    if sentence.endswith("?"):
        return
    for language in _languages():
        for found in language.statements(sentence.rstrip(" .!"), names):
            if by_user or found.subject != USER:
                value = language.value(found, alone=alone)
                if value:
                    yield value
                    return


@cache
def _languages() -> tuple["_Language", ...]:
    tables = json.loads(SLOT_WORDS.read_text(encoding="utf-8"))
    return tuple(_Language(table) for table in tables.values())


class _Language:
    """The words of a language by which it states values."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table
        self.slots: Mapping[str, Mapping[str, Any]] = table["slots"]

    def statements(self, sentence: str, names: Sequence[str]) -> Iterator[_Found]:
        """Yield the slots whose words a sentence has, with its subject and the words after."""
        sentence = self._opener.sub("", sentence)
        speaker = _SPEAKER.match(sentence)
        said = self._opener.sub("", sentence[speaker.end() :] if speaker else sentence)
        for name in names:
            for pattern, sure in self._patterns.get(name, ()):
                match = pattern.match(said)
                subject = self._subject(match, speaker) if match else None
                if match and subject:
                    yield _Found(name, subject, match["rest"], sure)

    def value(self, found: _Found, *, alone: bool) -> SlotValue | None:
        """Return the value at the beginning of words; None if they state none for certain."""
        if self._unsure.search(found.rest):
            return None
        kind: str = self.slots[found.slot]["kind"]
        whole = self._ending.sub("", found.rest).strip(" ,")
        written = self._first_part(whole, kind)
        form = _FORMS[kind].fullmatch(written) if written else None
        if written is None or form is None or len(written.split()) > _MOST_WORDS:
            return None
        key = _key(written, kind)
        if not key:
            return None
        left = written != whole and kind != "number"
        return SlotValue(found.slot, found.subject, written, key, found.sure, alone and not left)

    def _first_part(self, whole: str, kind: str) -> str | None:
        """Return the words up to the end of a clause; None for an enumeration."""
        end = self._clause_end.search(whole)
        if end and end[0].strip(" ,").lower() == "and" and _SHARED.match(whole, end.end()):
            return None
        part = whole[: end.start()] if end else whole
        comma = _COMMA.search(part)
        if comma and kind not in ("date", "phone"):
            part = part[: comma.start()]
        return part.strip(" ,\"'")

    def _subject(self, match: re.Match[str], speaker: re.Match[str] | None) -> str | None:
        """Return the subject in lower case; None for a pronoun of another person."""
        name = match["name"]
        if name is None:
            if speaker is None or speaker[1].lower() == "user":
                return USER
            said = speaker[1].lower()
            return None if said in ("assistant", "system", "tool") else said
        first = name.split()[0].lower()
        return None if first in self._not_names else " ".join(name.lower().split())

    @cached_property
    def _patterns(self) -> Mapping[str, Sequence[tuple[re.Pattern[str], bool]]]:
        """The regular expressions of each slot, with False for words of another meaning too."""
        return {name: tuple(self._patterns_of(entry)) for name, entry in self.slots.items()}

    def _patterns_of(self, entry: Mapping[str, Any]) -> Iterator[tuple[re.Pattern[str], bool]]:
        adverbs = rf"(?:(?i:{self._choice('adverbs')}) )*"
        subject = rf"(?:{_SELF}|(?P<name>{_NAME})) {adverbs}"
        for key, sure in (("verbs", True), ("hints", False)):
            if entry.get(key):
                verbs = "|".join(entry[key]).replace("{be} ", f"(?:is|am) {adverbs}")
                yield re.compile(rf"{subject}(?i:{verbs}) {adverbs}(?P<rest>\S.*)"), sure
        if entry.get("nouns"):
            owner = rf"(?:{_OF_SELF}|(?P<name>{_NAME}?)(?:'s|(?<=s)')) "
            noun = rf"(?i:(?:current |new )?(?:{'|'.join(entry['nouns'])}))"
            yield re.compile(rf"{owner}{noun}(?: is| ?[:=]) {adverbs}(?P<rest>\S.*)"), True

    @cached_property
    def _opener(self) -> re.Pattern[str]:
        return re.compile(rf"\A(?:{self._choice('openers')})\b[,:]? ", re.IGNORECASE)

    @cached_property
    def _unsure(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{self._choice('unsure')})(?!\w)", re.IGNORECASE)

    @cached_property
    def _ending(self) -> re.Pattern[str]:
        return re.compile(rf"(?:[ ,]+(?:{self._choice('endings')}))+$", re.IGNORECASE)

    @cached_property
    def _clause_end(self) -> re.Pattern[str]:
        return re.compile(rf"[ ,]+(?:{self._choice('clause_ends')})\b", re.IGNORECASE)

    @cached_property
    def _not_names(self) -> frozenset[str]:
        return frozenset(self._table["not_names"])

    def _choice(self, key: str) -> str:
        """Return a regular expression for one of a list of words, the longest first."""
        return "|".join(sorted(self._table[key], key=len, reverse=True))


def _key(value: str, kind: str) -> frozenset[str]:
    """Return what identifies a value: a day, the last digits of a number, or its words."""
    if kind == "phone":
        digits = "".join(filter(str.isdigit, value))
        return frozenset((digits[-_PHONE_DIGITS:],))
    if kind == "number":
        return frozenset(re.findall(r"^\d+", value))
    if kind == "mail":
        return frozenset((value.casefold(),))
    if kind == "date":
        return _day(value)
    plain = _ARTICLE.sub("", value).casefold()
    return frozenset(_WORD.findall(plain))


def _day(value: str) -> frozenset[str]:
    """Return the day of a year and the year, if it is given; empty for other dates."""
    dated = re.search(YEAR, value) is not None
    for each in mentioned(value if dated else f"{value} {_LEAP_YEAR}", 1):
        year, _, day = each.key.partition("-")
        if each.kind is EntityKind.DATE and len(day) == len("12-31"):
            return frozenset((year, day) if dated else (day,))
    return frozenset()
