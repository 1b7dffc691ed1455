"""Conflicts between a new text and an earlier one, without a language model. No I/O.

`compare` gives the kind of the new text: it repeats the earlier one, negates it, replaces a value
of it, or adds something else. The kind has the highest probability of a multinomial logistic
regression, with a vector `w` of coefficients for each kind:

    P(kind) = e^(w[kind] · features) / Σ e^(w · features)

The features are the cosine of the two texts, the words and names that both contain, and the words
of negation, refusal and change (`cues.py`). `conflict_model.json` has the coefficients, the least
score of a proposal, and the embedding model that they are for.
`graph_memory/evaluation/calibrate_conflicts.py` makes it.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graph_memory.memories.cues import COUNTED, Cues, cues, opposed, stem
from graph_memory.ranking.terms import Word, content_words

Numbers = npt.NDArray[np.float64]
Span = tuple[int, int]

CONFLICT_MODEL = Path(__file__).with_name("conflict_model.json")

#: Characters of a text that are compared.
MOST_CHARACTERS = 2000

SCORE_DECIMALS = 3

#: Lists of cues that are counted in the earlier text, and the number at which counting stops.
_COUNTED_BEFORE = ("negations", "refusals", "others", "past", "wishes", "addressee")
_MOST_COUNTED = 2

#: Lists of cues of a change.
_CHANGES = ("refusals", "endings", "changes", "from_now", "instead")

_SENTENCE = re.compile(r"\S.*?(?:[.!?]+(?=\s|$)|(?=\n)|$)", re.DOTALL)

#: Names of the features, in their order.
FEATURES = (
    "constant",
    "cosine",
    "cosine_squared",
    "shared",
    "shared_before",
    "shared_without_cue",
    "shared_name",
    "new_name",
    "lost_name",
    "new_number",
    "antonym",
    "negation_differs",
    "negated_shared",
    "kept_shared",
    "new_word",
    "asks",
    "exclaims",
    "length",
    "length_before",
    *COUNTED,
    *(f"{name}_before" for name in _COUNTED_BEFORE),
)


class Kind(StrEnum):
    """The effect of a new text on an earlier one."""

    REPEATS = "repeats"
    NEGATES = "negates"
    REPLACES = "replaces"
    ADDS = "adds"


#: Kinds that are conflicts.
CONFLICTS = (Kind.NEGATES, Kind.REPLACES)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison of a new text with an earlier one.

    Attributes:
        kind: The effect of the new text on the earlier one.
        score: Probability of the kind, 0 to 1.
    """

    kind: Kind
    score: float


@dataclass(frozen=True)
class ConflictModel:
    """The coefficients of the regression for an embedding model.

    Attributes:
        model: Name of the embedding model.
        least_score: Least score of a conflict that is proposed, 0 to 1.
        coefficients: The coefficients of each kind, by feature.
    """

    model: str
    least_score: float
    coefficients: Mapping[Kind, Mapping[str, float]]

    def write(self) -> None:
        """Replace the model that this version contains."""
        CONFLICT_MODEL.write_text(f"{json.dumps(asdict(self), indent=2)}\n", encoding="utf-8")

    def probabilities(self, rows: Numbers) -> Numbers:
        """Return the probability of each kind, array (n, 4), for features (n, features)."""
        return softmax(rows @ self._weights.T)

    @cached_property
    def _weights(self) -> Numbers:
        return np.array([[self.coefficients[kind][name] for name in FEATURES] for kind in Kind])


def softmax(logits: Numbers) -> Numbers:
    """Return the probabilities of logits, both arrays (n, kinds); each row sums to 1."""
    shares: Numbers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


@cache
def conflict_model(model: str) -> ConflictModel | None:
    """Return the coefficients for an embedding model, or None if they are for another one."""
    given = json.loads(CONFLICT_MODEL.read_text(encoding="utf-8"))
    coefficients = {Kind(kind): values for kind, values in given["coefficients"].items()}
    found = ConflictModel(given["model"], given["least_score"], coefficients)
    return found if found.model == model else None


def compare(new: str, before: str, cosine: float, model: ConflictModel) -> Comparison:
    """Compare a new text with an earlier one.

    A turn of one speaker adds to a turn of another: they speak of themselves. Equal words repeat.

    Args:
        new: The new text; its first `MOST_CHARACTERS` count.
        before: The earlier text, likewise.
        cosine: Cosine of the two texts, −1 to 1.
        model: The coefficients.
    """
    first, second = cues(new[:MOST_CHARACTERS]), cues(before[:MOST_CHARACTERS])
    if first.speaker and second.speaker and first.speaker != second.speaker:
        return Comparison(Kind.ADDS, 1.0)
    if first.terms == second.terms:
        return Comparison(Kind.REPEATS, 1.0)
    (chances,) = model.probabilities(features(first, second, cosine)[None, :])
    best = int(chances.argmax())
    return Comparison(list(Kind)[best], round(float(chances[best]), SCORE_DECIMALS))


def features(new: Cues, before: Cues, cosine: float) -> Numbers:
    """Return the features of a new text and an earlier one, array (`FEATURES`,).

    Args:
        new: Cues of the new text.
        before: Cues of the earlier text.
        cosine: Cosine of the two texts, −1 to 1.
    """
    places = {word: place for place, word in reversed(list(enumerate(before.stems)))}
    shared = np.array([word in places for word in new.stems], dtype=bool)
    negated = np.array(new.negated, dtype=bool)
    opposite = [
        differs != before.negated[places[word]]
        for word, differs in zip(new.stems, new.negated, strict=True)
        if word in places
    ]
    of_names = shared[np.array(new.names, dtype=bool)]
    names = {word for word, name in zip(before.stems, before.names, strict=True) if name}
    antonym = opposed(new.every, before.every)
    number = bool(before.numbers) and bool(new.numbers - before.numbers)
    changed = antonym or number or any(opposite) or any(new.counts[key] for key in _CHANGES)
    return np.array(
        [
            1.0,
            cosine,
            cosine**2,
            _mean(shared),
            _mean([word in new.stems for word in before.stems]),
            0.0 if changed else cosine,
            of_names.any(),
            not of_names.all(),
            bool(names) and names.isdisjoint(new.stems),
            number,
            antonym,
            any(opposite),
            (shared & negated).any(),
            (shared & ~negated).any(),
            (~shared & ~negated).any(),
            new.asks,
            new.exclaims,
            math.log1p(len(new.words)),
            math.log1p(len(before.words)),
            *(min(_MOST_COUNTED, new.counts[key]) for key in COUNTED),
            *(min(_MOST_COUNTED, before.counts[key]) for key in _COUNTED_BEFORE),
        ],
        dtype=np.float64,
    )


def _mean(values: Sequence[bool] | npt.NDArray[np.bool_]) -> float:
    return float(sum(values)) / max(1, len(values))


def differing_spans(new: str, before: str) -> tuple[Span, Span]:
    """Return the part of each text that differs, without the words around it that are equal.

    The parts are in the two sentences that have most words in common. If one sentence is the
    other with further words, its part is the whole sentence.
    """
    own, other = _sentences(new), _sentences(before)
    if not own or not other:
        return (0, len(new)), (0, len(before))
    pairs = [
        (_in_common(a, b), i + j, a, b) for i, a in enumerate(own) for j, b in enumerate(other)
    ]
    _, _, first, second = max(pairs, key=lambda pair: (pair[0], -pair[1]))
    pairwise = list(zip(first, second, strict=False))
    head = len(list(takewhile(_equal, pairwise)))
    rest = min(len(first), len(second)) - head
    backwards = zip(reversed(first), reversed(second), strict=False)
    tail = min(rest, len(list(takewhile(_equal, backwards))))
    return _trimmed(first, head, tail), _trimmed(second, head, tail)


def _sentences(text: str) -> list[list[Word]]:
    """Return the words of each sentence that has any."""
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    found: list[list[Word]] = [[] for _ in ends]
    place = 0
    for word in content_words(text, ""):
        while place < len(ends) - 1 and word.start >= ends[place]:
            place += 1
        found[place].append(word)
    return [words for words in found if words]


def _in_common(first: Sequence[Word], second: Sequence[Word]) -> float:
    """Return the Dice coefficient of the words of two sentences, 0 to 1."""
    own, other = ({stem(word.term) for word in words} for words in (first, second))
    return 2 * len(own & other) / (len(own) + len(other))


def _equal(pair: tuple[Word, Word]) -> bool:
    return pair[0].term == pair[1].term


def _trimmed(words: Sequence[Word], head: int, tail: int) -> Span:
    """Return the span of words without the first and the last ones; of all if none remain."""
    kept = words[head : len(words) - tail] or words
    return kept[0].start, kept[-1].end
