"""The form of a statement that other spellings of it share, and keyed hashes of that form.

Two forms exist. `words` is strict: it ignores case, look-alike letters of other scripts, invisible
characters, diacritics, punctuation and space. `fingerprint` also hashes a loose form. It has no
filler words, and one spelling of words such as colour and color. A long word may have one slip: a
letter too many, too few, another letter, or two exchanged ones.

Diacritics are folded, because an added accent is the simplest disguise of a word. Marks of scripts
in which they carry the vowels stay.

Numbers, negations, names and short words must agree exactly. So must the first and the last three
letters of every word: another ending is often another tense, and a short word with another letter
is often another word. The same meaning in other words is another statement.
"""

import hmac
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

#: The file of words and letters: filler words; words of numbers and dates; long words that one slip
#: turns into another common word; verbs with a negation of one word; letters that look like Latin
#: ones. The Greek mu is not among them: 5 μm and 5 mm differ.
_WORDS: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("statement_words.json").read_text("utf-8")
)


def _listed(name: str) -> list[str]:
    return " ".join(_WORDS[name]).split()


_FILLERS = frozenset(_listed("fillers"))
_NUMBERS = frozenset(_listed("numbers"))
_CONFUSED = frozenset(_listed("confused"))
_NEGATED = {
    **{f"{verb}nt": (verb, "not") for verb in _listed("negated")},
    "cant": ("can", "not"),
    "cannot": ("can", "not"),
    "wont": ("will", "not"),
    "shant": ("shall", "not"),
}
_LOOK_ALIKES = str.maketrans(
    {other: latin for latin, others in _WORDS["look_alikes"].items() for other in others}
)

#: Bits of a hash of the loose form, and of the hash that finds statements to compare.
_SKETCH_BITS, _BUCKET_BITS = 48, 24

#: The sizes of a sketch are multiples of this, so that they show little of a statement's length.
_PADDED = 64

#: The most slips that are looked at; the later words of longer statements must agree exactly.
_SLIPS = 447

#: A word bears a slip from this length on, if its stem has that length.
_LONG, _STEM = 7, 6

_BITS = 128

_KEPT_SIGNS = "<>≤≥≠"

_TOKEN = re.compile(
    r"(?P<number>(?<![^\W_])[+-]?\d+(?:[.,:/]\d+)*(?![^\W\d_])[%°]?)"
    r"|(?P<word>[^\W_]+(?:\+\+|[#+](?![\w]))?)"
    r"|(?P<sign>!=|[<>]=|[^\w\s])"
)
_LINE_MARKS = re.compile(r"(?m)^[\s>*#+-]+(?=\D)")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’ʼ`´](?=[^\W\d_])")
_SENTENCE_END = re.compile(r"[.!?:;\n]")
_ENDING = re.compile(r"(?:ings?|e?d|ers?|e?s|ly)$")
_THRICE = re.compile(r"(.)\1{2,}")
_TWICE = re.compile(r"(.)\1")
_NEVER_TWICE = re.compile(r"([ahijkquvwxy])\1")
_BRITISH = (
    (re.compile(r"(?<=[^\W\d_]{2})our(?!$|s$|t)"), "or"),
    (re.compile(r"(?<=[^\W\d_]{3})our(?=s?$)"), "or"),
    (re.compile(r"(?<=[^\W\d_]{3})is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)"), "iz"),
    (re.compile(r"(?<=[^\W\d_]{3})ys(?=(?:e|ed|es|er|ers|ing)$)"), "yz"),
    (re.compile(r"^(cent|theat|met|lit|fib)re(?=s?$)"), r"\1er"),
    (re.compile(r"(?<=[^\W\d_]{3})ogue(?=s?$)"), "og"),
    (re.compile(r"^grey"), "gray"),
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The keyed hashes of a statement.

    With the key, they confirm a statement that one can guess as a whole, or with one slip. Each
    is of the whole statement, cut to 48 bits, so words cannot be found one after the other. The
    bucket is of first letters and numbers, cut to 24 bits, so many statements share it. The size
    of the sketch shows roughly how many letters the long words have.

    Attributes:
        key: HMAC-SHA256 of the strict form, hexadecimal.
        bucket: The same for statements that may be spelling variants, hexadecimal.
        sketch: Hashes of the loose form, and of it with each slip, ascending.
    """

    key: str
    bucket: str
    sketch: tuple[int, ...]

    def resembles(self, other: "Fingerprint") -> bool:
        """Check whether a statement of the same key and group is the same, or a variant."""
        return self.key == other.key or not set(self.sketch).isdisjoint(other.sketch)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    exact: bool  #: a name, a number or a sign
    first: bool  #: the first of its sentence


def words(text: str) -> tuple[str, ...]:
    """Return the words, numbers and signs of the strict form of a text."""
    return tuple(token.text for token in _tokens(text)) or (_visible(text).strip(),)


def unmasked(text: str) -> str:
    """Return a text as it looks: without invisible characters, and with Latin look-alikes.

    Case, diacritics and punctuation stay, and so do words of other scripts.
    """
    return _TOKEN.sub(lambda match: _with_latin(match[0]), _visible(text))


def _with_latin(word: str) -> str:
    """Return a word with Latin letters for its look-alikes, if it has Latin letters too."""
    if word.isascii() or not any(each.isascii() and each.isalpha() for each in word):
        return word
    return word.translate(_GREEK_CAPITALS).translate(_LOOK_ALIKES_OF_BOTH_CASES)


def fingerprint(text: str, secret: bytes) -> Fingerprint:
    """Return the keyed hashes of a statement.

    Args:
        text: The statement.
        secret: The key of the hashes.
    """
    tokens = list(_tokens(text))
    strict = tuple(token.text for token in tokens) or words(text)
    loose = [each for each in map(_loose, tokens) if each is not None] or [*strict]
    key = hmac.digest(secret, "\x1f".join(("key", *strict)).encode(), "sha256").hex()
    initials = ["bucket", *(each if each[:1].isdigit() else each[:1] for each in loose)]
    bucket = _number(secret, "\x1f".join(initials), _BUCKET_BITS)
    sketch = set(_sketch(loose, _slips(tokens), secret))
    return Fingerprint(key, f"{bucket:06x}", tuple(sorted(_padded(sketch, key, secret))))


def _tokens(text: str) -> Iterator[_Token]:
    text = _visible(text)
    text = _LINE_MARKS.sub("\n", text)
    text = _APOSTROPHE.sub("", text)
    end = 0
    first = True
    for match in _TOKEN.finditer(text):
        first = first or bool(_SENTENCE_END.search(text, end, match.start()))
        end = match.end()
        token = match[0]
        if match.lastgroup == "sign":
            first = first or bool(_SENTENCE_END.match(token))
            if token in ("!=", "<=", ">=") or _is_kept(token):
                yield _Token(token, True, False)
            continue
        folded = _folded(token)
        for part in _NEGATED.get(folded, (folded,)):
            named = match.lastgroup == "number" or token[:1].isupper() or folded in _NUMBERS
            yield _Token(part, named or any(each.isdigit() for each in part), first)
        first = False


def _visible(text: str) -> str:
    """Return a text in compatible characters, without invisible ones."""
    return "".join(_shown(each) for each in unicodedata.normalize("NFKC", text))


def _shown(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() or character.isspace() else ""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in ("Cf", "Cn", "Co", "Cs") or character in _INVISIBLE:
        return ""
    return " " if category[0] in "CZ" else _SIGNS.get(character, character)


#: Letters and marks that show nothing, but are not format characters.
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)

_SIGNS = {"−": "-", "‐": "-", "‑": "-", "⁄": "/", "∕": "/"}


def _is_kept(sign: str) -> bool:
    return sign in _KEPT_SIGNS or unicodedata.category(sign) in ("Sc", "So", "Mn", "Mc")


def _folded(word: str) -> str:
    """Return a word in one case, without diacritics and look-alikes."""
    mixed = any(each.isascii() and each.isalpha() for each in word)
    if mixed:
        word = word.translate(_GREEK_CAPITALS)
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(each for each in decomposed if not "\u0300" <= each <= "\u036f")
    plain = unicodedata.normalize("NFC", plain)
    latin = plain.translate(_LOOK_ALIKES)
    return latin if mixed or latin.isascii() else plain


_GREEK_CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX")
_LOOK_ALIKES_OF_BOTH_CASES = _LOOK_ALIKES | {
    ord(chr(other).upper()): latin.upper()
    for other, latin in _LOOK_ALIKES.items()
    if len(chr(other).upper()) == 1 and chr(other).upper() != chr(other)
}


def _loose(token: _Token) -> str | None:
    """Return the loose form of a word; None for a filler word."""
    word = token.text
    if word in _FILLERS and (token.first or not token.exact):
        return None
    if token.exact or word in _CONFUSED:
        return word
    word = _THRICE.sub(r"\1\1", word)
    word = _NEVER_TWICE.sub(r"\1", word)
    for british, american in _BRITISH:
        word = british.sub(american, word)
    return _TWICE.sub(r"\1", word) if _is_long(word) else word


def _is_long(word: str) -> bool:
    return len(word) >= _LONG and len(_ENDING.sub("", word)) >= _STEM


def _slips(tokens: Sequence[_Token]) -> Iterator[tuple[int, str]]:
    """Yield each place in the loose form with its word less one letter."""
    loose = [(token, form) for token in tokens if (form := _loose(token)) is not None]
    for place, (token, form) in enumerate(loose):
        if token.exact or token.text in _CONFUSED or not _is_long(form):
            continue
        for cut in range(1, len(form) - 3):
            yield place, form[:cut] + form[cut + 1 :]


def _sketch(loose: Sequence[str], slips: Iterator[tuple[int, str]], secret: bytes) -> Iterator[int]:
    """Yield the hash of the loose form, and of it with each slip.

    Each hash is of a sum over all words, so that a slip costs no pass over a long text.
    """
    terms = [_term(place, word, secret) for place, word in enumerate(loose)]
    total = sum(terms)
    yield _whole(total, secret)
    for place, word in islice(slips, _SLIPS):
        yield _whole(total - terms[place] + _term(place, word, secret), secret)


def _term(place: int, word: str, secret: bytes) -> int:
    return _number(secret, f"word\x1f{place}\x1f{word}", _BITS)


def _whole(total: int, secret: bytes) -> int:
    return _number(secret, f"whole\x1f{total % (1 << _BITS)}", _SKETCH_BITS)


def _padded(sketch: set[int], key: str, secret: bytes) -> set[int]:
    """Return a sketch with further numbers that belong to no statement."""
    padded = set(sketch)
    count = 0
    while len(padded) % _PADDED:
        padded.add(_number(secret, f"pad\x1f{key}\x1f{count}", _SKETCH_BITS))
        count += 1
    return padded


def _number(secret: bytes, message: str, bits: int) -> int:
    digest = hmac.digest(secret, message.encode(), "sha256")
    return int.from_bytes(digest[:16], "big") >> (_BITS - bits)
