"""Fit the comparison of texts on data with known kinds, and on chats, which hold few conflicts.

Run `python -m graph_memory.evaluation.calibrate_conflicts PREFERENCES FORM:FILE...`. The result
replaces `memories/conflict_model.json`. The model of embeddings is that of the settings.

`PREFERENCES` is a JSON list of users, each with `memories` (id, text) and `probes` (text, kind,
of). A probe repeats, negates or replaces the memory `of`. Each probe is also compared with another
memory, half of the time of another user, which it adds to. The files are chats in the forms of
`evaluate --from`. Each turn is compared with the nearest earlier turns, and adds to them.

The figures come from a fit on one half of the users and chats, asked about the other half:

- `macro_f1`: of the four kinds.
- `macro_f1_proposed`: the same, if a conflict below `least_score` counts as none.
- `macro_f1_baseline`: of limits of the cosine alone.
- `found`: share of the conflicts that are proposed.
- `false_share`: share of the turns with a conflict proposed.

`least_score` is the smallest that lets at most 1 % of the turns of the fit propose a conflict.
"""

import argparse
import asyncio
import itertools
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graph_memory.domain.inputs import validate
from graph_memory.evaluation.dataset import read_data
from graph_memory.evaluation.formats import Form
from graph_memory.inference.embedder import Embedder, Vectors
from graph_memory.memories.conflicts import (
    CONFLICTS,
    FEATURES,
    ConflictModel,
    Kind,
    features,
    softmax,
)
from graph_memory.memories.cues import Cues, cues
from graph_memory.settings.base import read_settings

Numbers = npt.NDArray[np.float64]

#: Earlier turns that a turn is compared with.
NEIGHBOURS = 5

#: Share of the turns of a chat that may propose a conflict.
_MOST_FALSE = 0.01

#: Weight of all turns together, beside 1 for each kind of all probes.
_CHAT_WEIGHT = 2

_RIDGE = 3.0
_STEPS = 15
_DECIMALS = 3
_QUANTILES = 24
_KINDS = list(Kind)
_CONFLICTS = [_KINDS.index(kind) for kind in CONFLICTS]
_cues = cache(cues)


@dataclass(frozen=True, slots=True)
class Examples:
    """Pairs of texts.

    Attributes:
        rows: Features, array (n, features).
        kinds: Place of the kind in `Kind`, array (n,).
        part: Half of the data that the pair belongs to, 0 or 1, array (n,).
        turn: Number of the turn of a chat, array (n,).
        adds: True for turns of two speakers, which are not compared, array (n,).
    """

    rows: Numbers
    kinds: npt.NDArray[np.int64]
    part: npt.NDArray[np.int64]
    turn: npt.NDArray[np.int64]
    adds: npt.NDArray[np.bool_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Examples":
        """Return some of the pairs."""
        return Examples(
            rows=self.rows[chosen],
            kinds=self.kinds[chosen],
            part=self.part[chosen],
            turn=self.turn[chosen],
            adds=self.adds[chosen],
        )


def main() -> None:
    """Read the data, print the figures, fit the coefficients and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("preferences", metavar="PREFERENCES", type=Path)
    parser.add_argument("chats", nargs="+", metavar="FORM:FILE")
    given = parser.parse_args()
    users = json.loads(given.preferences.read_text(encoding="utf-8"))
    chats = [turns for file in given.chats for turns in _turns(*file.split(":", 1))]
    model, pairs, written = asyncio.run(_embedded(users, chats))
    for asked in (0, 1):
        fitted = fit(model, pairs.of(pairs.part != asked), written.of(written.part != asked))
        own, other = pairs.of(pairs.part != asked), pairs.of(pairs.part == asked)
        figures = {
            "macro_f1": _macro_f1(fitted, other, 0.0),
            "macro_f1_proposed": _macro_f1(fitted, other, fitted.least_score),
            "macro_f1_baseline": _baseline(own, other),
            "found": _found(fitted, other),
            "false_share": _share(fitted, written.of(written.part == asked), fitted.least_score),
        }
        _print({"half": asked, "pairs": len(other.rows), **figures})
    fitted = fit(model, pairs, written)
    fitted.write()
    _print({"least_score": fitted.least_score})


def _print(figures: dict[str, float]) -> None:
    print(json.dumps({k: round(v, _DECIMALS) for k, v in figures.items()}))  # noqa: T201 - output


def _turns(form: str, path: str) -> Iterator[list[str]]:
    """Yield the turns of each chat of a file, in their order."""
    groups: dict[str, list[str]] = {}
    for memory in read_data(Path(path), validate(Form, form, "FORM")).memories:
        groups.setdefault(memory.group, []).append(memory.content)
    yield from groups.values()


async def _embedded(
    users: Sequence[Any], chats: Sequence[Sequence[str]]
) -> tuple[str, Examples, Examples]:
    """Return the name of the embedding model, and the examples of the users and of the chats."""
    embedder = Embedder(read_settings())
    texts = [each["text"] for user in users for each in (*user["memories"], *user["probes"])]
    texts = list(dict.fromkeys([*texts, *itertools.chain.from_iterable(chats)]))
    vectors = await embedder.embed(texts)
    place = {text: i for i, text in enumerate(texts)}
    pairs = _examples(_probed(users), place, vectors)
    written = _examples(_written(chats, place, vectors), place, vectors)
    return embedder.model, pairs, written


#: A new text, an earlier one, the kind, the half of the data, and the number of the turn.
_Pair = tuple[str, str, Kind, int, int]


def _probed(users: Sequence[Any]) -> Iterator[_Pair]:
    """Yield each probe with its memory, and with one that it adds to."""
    chance = random.Random(1)  # noqa: S311 - the same choice in each run
    for number, user in enumerate(users):
        part = int(2 * number >= len(users))
        for probe in user["probes"]:
            own = [m["text"] for m in user["memories"] if m["id"] != probe["of"]]
            (before,) = [m["text"] for m in user["memories"] if m["id"] == probe["of"]]
            stranger = users[(number + chance.randrange(1, len(users))) % len(users)]
            foreign = [m["text"] for m in stranger["memories"]]
            yield probe["text"], before, Kind(probe["kind"]), part, 0
            other = chance.choice(own if chance.random() < 1 / 2 else foreign)
            yield probe["text"], other, Kind.ADDS, part, 0


def _written(
    chats: Sequence[Sequence[str]], place: dict[str, int], vectors: Vectors
) -> Iterator[_Pair]:
    """Yield each turn of a chat with the nearest turns before it."""
    number = 0
    for chat, turns in enumerate(chats):
        own = vectors[[place[turn] for turn in turns]]
        for i in range(1, len(turns)):
            number += 1
            for j in np.argsort(-(own[:i] @ own[i]))[:NEIGHBOURS]:
                yield turns[i], turns[int(j)], Kind.ADDS, chat % 2, number


def _examples(pairs: Iterator[_Pair], place: dict[str, int], vectors: Vectors) -> Examples:
    given = list(pairs)
    read: list[tuple[Cues, Cues]] = [(_cues(new), _cues(before)) for new, before, *_ in given]
    cosines = [float(vectors[place[new]] @ vectors[place[before]]) for new, before, *_ in given]
    return Examples(
        rows=np.array([features(*each, cos) for each, cos in zip(read, cosines, strict=True)]),
        kinds=np.array([_KINDS.index(kind) for _, _, kind, _, _ in given]),
        part=np.array([part for *_, part, _ in given]),
        turn=np.array([turn for *_, turn in given]),
        adds=np.array([bool(a.speaker and b.speaker and a.speaker != b.speaker) for a, b in read]),
    )


def fit(model: str, pairs: Examples, written: Examples) -> ConflictModel:
    """Fit the coefficients, and then the least score of a proposal.

    Args:
        model: Name of the embedding model.
        pairs: Pairs of known kinds; each kind weighs the same.
        written: Turns of chats with the turns before them.
    """
    compared = written.of(~written.adds)
    counts = np.bincount(pairs.kinds, minlength=len(_KINDS))
    share = len(pairs.kinds) / len(_KINDS)
    weights = np.concatenate(
        [
            share / counts[pairs.kinds],
            np.full(len(compared.rows), _CHAT_WEIGHT * share / max(1, len(compared.rows))),
        ]
    )
    rows = np.vstack([pairs.rows, compared.rows])
    found = _softmax_regression(rows, np.concatenate([pairs.kinds, compared.kinds]), weights)
    coefficients = {
        kind: dict(zip(FEATURES, (round(float(c), _DECIMALS) for c in row), strict=True))
        for kind, row in zip(_KINDS, found, strict=True)
    }
    fitted = ConflictModel(model, 0.0, coefficients)
    limits = (step / 100 for step in range(101))
    least = next((x for x in limits if _share(fitted, written, x) <= _MOST_FALSE), 1.0)
    return replace(fitted, least_score=least)


def _softmax_regression(rows: Numbers, kinds: npt.NDArray[np.int64], weights: Numbers) -> Numbers:
    """Return the coefficients of each kind, array (kinds, features), by Newton's method."""
    center, spread = rows.mean(axis=0), rows.std(axis=0)
    center[0], spread[spread == 0] = 0.0, 1.0
    design: Numbers = (rows - center) / spread
    n, wanted = int(design.shape[1]), np.eye(len(_KINDS))[kinds]
    found: Numbers = np.zeros((len(_KINDS), n))
    for _ in range(_STEPS):
        chances = softmax(design @ found.T)
        slope: Numbers = ((chances - wanted) * weights[:, None]).T @ design + _RIDGE * found
        curvature = _RIDGE * np.eye(len(_KINDS) * n)
        for a, b in itertools.product(range(len(_KINDS)), repeat=2):
            both = weights * chances[:, a] * ((a == b) - chances[:, b])
            curvature[a * n : (a + 1) * n, b * n : (b + 1) * n] += (
                design * both[:, None]
            ).T @ design
        found = found - np.linalg.solve(curvature, slope.ravel()).reshape(found.shape)
    scaled = found / spread
    scaled[:, 0] -= scaled @ center
    return scaled


def _decided(model: ConflictModel, examples: Examples, least: float) -> npt.NDArray[np.int64]:
    """Return the kind of each pair; a conflict below the least score repeats or adds."""
    chances = model.probabilities(examples.rows)
    best = chances.argmax(axis=1)
    weak = _conflicting(best) & (chances.max(axis=1) < least)
    repeats, adds = (chances[:, _KINDS.index(kind)] for kind in (Kind.REPEATS, Kind.ADDS))
    quiet = np.where(repeats > adds, _KINDS.index(Kind.REPEATS), _KINDS.index(Kind.ADDS))
    decided = np.where(weak, quiet, best)
    return np.where(examples.adds, _KINDS.index(Kind.ADDS), decided)


def _macro_f1(model: ConflictModel, examples: Examples, least: float) -> float:
    return macro_f1(examples.kinds, _decided(model, examples, least))


def macro_f1(kinds: npt.NDArray[np.int64], decided: npt.NDArray[np.int64]) -> float:
    """Return the mean F1 of the kinds, 0 to 1."""
    scores: list[float] = []
    for kind in range(len(_KINDS)):
        both = np.sum((kinds == kind) & (decided == kind))
        scores.append(2 * both / max(1, np.sum(kinds == kind) + np.sum(decided == kind)))
    return float(np.mean(scores))


def _conflicting(kinds: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    return np.isin(kinds, _CONFLICTS)


def _found(model: ConflictModel, examples: Examples) -> float:
    """Return the share of the conflicts that are proposed."""
    proposed = _conflicting(_decided(model, examples, model.least_score))
    return float(proposed[_conflicting(examples.kinds)].mean())


def _share(model: ConflictModel, written: Examples, least: float) -> float:
    """Return the share of the turns for which a conflict is proposed."""
    proposed = _conflicting(_decided(model, written, least))
    return len(np.unique(written.turn[proposed])) / max(1, len(np.unique(written.turn)))


def _baseline(own: Examples, other: Examples) -> float:
    """Return the macro-F1 of three limits of the cosine, chosen on one half, on the other half.

    The kinds are in the order of their mean cosine.
    """
    column = FEATURES.index("cosine")
    means = [own.rows[own.kinds == kind, column].mean() for kind in range(len(_KINDS))]
    order = np.argsort(means)
    limits = np.quantile(own.rows[:, column], np.linspace(0.02, 0.98, _QUANTILES))

    def decided(rows: Numbers, chosen: tuple[float, ...]) -> npt.NDArray[np.int64]:
        return order[np.searchsorted(np.array(chosen), rows[:, column])]

    best = max(
        itertools.combinations(limits.tolist(), len(_KINDS) - 1),
        key=lambda chosen: macro_f1(own.kinds, decided(own.rows, chosen)),
    )
    return macro_f1(other.kinds, decided(other.rows, best))


if __name__ == "__main__":
    main()
