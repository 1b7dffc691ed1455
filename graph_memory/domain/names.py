"""Names in texts, as an erasure compares them: whole words, without case and accents. No I/O.

A name is found where its words follow each other, whatever stands between them: `Anna Meier` is in
`anna.meier@example.org`. Each character of a script without spaces is a word of its own.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

#: Kana, Han, Thai, Lao, Burmese and Khmer, as the inside of a character class.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005\u3007\u3041-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")

#: Accents, the points of Hebrew and Arabic, and invisible characters.
_DROPPED = re.compile(
    "[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]"
)

Name = tuple[str, ...]


def name_words(text: str) -> Name:
    """Return the words of a text in their order, without case, accents and invisible characters."""
    return tuple(_WORD.findall(_folded(text)))


def _folded(text: str) -> str:
    if text.isascii():
        return text.casefold()
    # Twice: the folding of case decomposes some letters, and composes none.
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    # A kana with a voicing mark is another letter, and not one with an accent.
    composed = unicodedata.normalize("NFC", _DROPPED.sub("", decomposed))
    return "".join(map(_letter, composed))


def _letter(character: str) -> str:
    """Return letters for a vowel sign, which is a part of a word but not a letter for Python."""
    if character.isascii() or not unicodedata.category(character).startswith("M"):
        return character
    return f"{ord(character):x}"


class Names:
    """Names that are searched for."""

    def __init__(self, names: Iterable[Sequence[str]]) -> None:
        self._by_first: defaultdict[str, list[Name]] = defaultdict(list)
        for name in names:
            if name:
                self._by_first[name[0]].append(tuple(name))

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def held(self, words: Sequence[str]) -> set[Name]:
        """Return the names whose words follow each other among the words of a text."""
        return {
            name
            for place, word in enumerate(words)
            for name in self._by_first.get(word, ())
            if tuple(words[place : place + len(name)]) == name
        }
