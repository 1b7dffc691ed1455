"""Calibrate the relevance of search results on data with known answers.

Run `python -m graph_memory.evaluation.calibrate FORM:FILE...`, with the forms of `evaluate --from`.
The result goes into `calibrations.json` of the data folder, beside those of other models, and each
process that starts later uses it. The model of embeddings is that of the settings.

Each question is asked in its own group, and once where nothing answers it: in another group, of the
same data or of other data. A question without evidence counts as one that nothing answers. The
best result of an answerable question counts as relevant, that of any other question does not. Each
kind of data weighs the same, and so do its answerable and its other questions. Of each there must
be 20, and limits that hold need some hundred.

Two limits of the best relevance decide whether a group knows an answer:

- `known_no_below`: the largest that takes at most 1 % of the answerable questions of any kind of
  data for unknown.
- `known_yes_from`: the smallest from which at least 95 % of the questions taken for known are
  answerable, if half of all questions are.

If the second limit is below the first, the relevance separates the questions entirely, and the two
are exchanged.

The coefficient of an unmet name is a part of the fitted one: that with which the first limit finds
most of the questions that nothing answers, as the mean of the kinds of data. Where each person has
a group, such a name is nearly a proof, so the fitted coefficient is large. With all of it, the few
answerable questions with such a name would set the limit for all kinds.
"""

import argparse
import asyncio
import math
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import Filters, validate
from graph_memory.domain.scope import CallScope
from graph_memory.errors import GraphMemoryError, InvalidArgumentError
from graph_memory.evaluation.dataset import Evaluation, read_data
from graph_memory.evaluation.evaluate import stored
from graph_memory.evaluation.formats import Form
from graph_memory.evaluation.metrics import DEPTH
from graph_memory.ranking.relevance import Calibration, Numbers
from graph_memory.ranking.scoring import RELEVANCE_DECIMALS
from graph_memory.search.candidates import gather

_MOST_FOREIGN = 300
_ROUNDS = 4
_STEPS = 50
_RIDGE = 1e-5

#: Fewest answerable questions, and fewest others, that a calibration is made from.
_LEAST = 20

#: Signs of the coefficients of the features.
_SIGNS = np.array([1.0, 1.0, -1.0, -1.0])

#: Parts of the fitted coefficient of an unmet name, of which one is chosen.
_PARTS = (0.0, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1.0)

#: Share of the answerable questions that `known_no_below` may take for unknown.
_MOST_MISSED = 0.01

#: Share of answerable questions among those from `known_yes_from` on.
_PRECISION = 0.95

#: Features of the candidates of a question, and whether the group has an answer.
_Example = tuple[Numbers, bool]


def main() -> None:
    """Read the data, fit the coefficients and write them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FORM:FILE")
    kinds = [file.partition(":") for file in parser.parse_args().files]
    try:
        data = [read_data(Path(path), validate(Form, form, "FORM")) for form, _, path in kinds]
        asyncio.run(_calibrate(data))
    except (GraphMemoryError, OSError) as error:
        parser.exit(2, f"{error}\n")


async def _calibrate(data: Sequence[Evaluation]) -> None:
    async with GraphMemory.open() as memory:
        examples = await collect(memory, data)
        calibration = fit(memory.settings.embedding_model, examples)
        file = calibration.write(memory.settings.data_dir)
        print(f"{calibration}\n{file}")  # noqa: T201 - the output of a script


async def collect(memory: GraphMemory, data: Sequence[Evaluation]) -> list[list[_Example]]:
    """Ask the questions of each kind of data, and return the examples of each kind.

    Raises:
        InvalidArgumentError: Too few questions are answerable, or too few are not.
    """
    _require_both(data)
    chance = random.Random(1)  # noqa: S311 - the same choice in each run
    async with AsyncExitStack() as stack:
        groups = [await stack.enter_async_context(stored(memory, each, {})) for each in data]
        every = [group for of_data in groups for group in of_data.values()]
        collected: list[list[_Example]] = []
        for each, own in zip(data, groups, strict=True):
            asked = [(q.text, own[q.group], bool(q.evidence)) for q in each.questions]
            foreign = chance.sample(each.answerable, min(_MOST_FOREIGN, len(each.answerable)))
            for question in foreign:
                elsewhere = [group for group in every if group != own[question.group]]
                near = [group for group in own.values() if group != own[question.group]]
                if elsewhere:
                    asked.append((question.text, chance.choice(near or elsewhere), False))
            collected.append([await _example(memory, *question) for question in asked])
    return collected


def _require_both(data: Sequence[Evaluation]) -> None:
    """Check that there are answerable questions, and others or groups that do not answer them."""
    answerable = sum(len(each.answerable) for each in data)
    groups = sum(len({memory.group for memory in each.memories}) for each in data)
    absent = sum(len(each.questions) for each in data) - answerable
    others = absent + (answerable if groups > 1 else 0)
    for count, kind in ((answerable, "with evidence"), (others, "that nothing answers")):
        if count < _LEAST:
            raise InvalidArgumentError(
                "data.questions",
                f"{count} {kind}",
                f"a calibration needs at least {_LEAST}, better some hundred. A question that "
                "nothing answers has an empty list as `evidence`; with memories of a second "
                "`group`, each question is also asked in a group that does not answer it",
            )


async def _example(memory: GraphMemory, text: str, group: str, answerable: bool) -> _Example:
    engine, scope = memory.context.engine, CallScope(group, memory.clock())
    embedding = await engine.embedder.embed_query_tokens(text)
    gathered = await gather(engine, scope, text, embedding, limit=DEPTH, filters=Filters())
    if gathered is None:
        return np.zeros((1, 4)), answerable
    return gathered.assessment.features, answerable


def fit(model: str, examples: Sequence[Sequence[_Example]]) -> Calibration:
    """Fit the coefficients and the limits of the relevance.

    Args:
        model: Name of the embedding model.
        examples: Examples of each kind of data.
    """

    def share_found(calibration: Calibration) -> float:
        best = [each for each in _best(calibration, examples, answerable=False) if len(each)]
        return float(np.mean([np.mean(each < calibration.known_no_below) for each in best]))

    fitted = _fit(model, examples)
    parts = [_fit(model, examples, part * fitted.unmet_name) for part in _PARTS]
    return max(parts, key=share_found)


def _fit(
    model: str, examples: Sequence[Sequence[_Example]], of_unmet_name: float | None = None
) -> Calibration:
    """Fit a logistic regression to the candidate of each question with the highest relevance.

    Which candidate that is depends on the coefficients, so it is chosen again after each fit. The
    limits follow from the coefficients. That of an unmet name may be given.
    """
    weights = np.array([1.0, 0.0, 0.0, 0.0])
    intercept = 0.0
    labels = [np.array([answerable for _, answerable in kind], dtype=float) for kind in examples]
    shares = [
        np.where(label > 0, 1 / max(1, label.sum()), 1 / max(1, (1 - label).sum()))
        for label in labels
    ]
    for _ in range(_ROUNDS):
        rows = [found[np.argmax(found @ weights)] for kind in examples for found, _ in kind]
        intercept, *rest = _signed(
            np.array(rows),
            np.concatenate(labels),
            np.concatenate(shares) / (2 * len(examples)),
            of_unmet_name,
        )
        weights = np.array(rest)
    coefficients = (round(float(weight), 3) for weight in (intercept, *weights))
    found = Calibration(model, *coefficients, known_no_below=0.0, known_yes_from=1.0)
    own, other = (_best(found, examples, answerable=each) for each in (True, False))
    no_below, yes_from = sorted((_known_no_below(own), _known_yes_from(own, other)))
    return replace(found, known_no_below=no_below, known_yes_from=yes_from)


def _best(
    calibration: Calibration, examples: Sequence[Sequence[_Example]], *, answerable: bool
) -> list[Numbers]:
    """Return the best relevances of answerable or of other questions by kind, ascending."""
    return [
        np.sort([float(calibration.relevance(r).max()) for r, known in kind if known is answerable])
        for kind in examples
    ]


def _known_no_below(own: Sequence[Numbers]) -> float:
    """Return the limit, for the best relevances of answerable questions by kind, ascending."""
    limit = min(float(best[int(_MOST_MISSED * len(best))]) for best in own if len(best))
    scale: int = 10**RELEVANCE_DECIMALS
    return math.floor(limit * scale) / scale


def _known_yes_from(own: Sequence[Numbers], other: Sequence[Numbers]) -> float:
    """Return the limit, for the best relevances of answerable and other questions by kind."""

    def share_from(kinds: Sequence[Numbers], limit: float) -> float:
        return float(np.mean([np.mean(best >= limit) for best in kinds if len(best)] or [0.0]))

    scale: int = 10**RELEVANCE_DECIMALS
    found = 1.0
    for step in range(scale, -1, -1):
        known, mistaken = (share_from(kinds, step / scale) for kinds in (own, other))
        if known + mistaken and known / (known + mistaken) < _PRECISION:
            break
        found = step / scale
    return found


def _signed(
    rows: Numbers, labels: Numbers, weights: Numbers, of_unmet_name: float | None
) -> Numbers:
    """Return intercept and coefficients of a regression, 0 for one of the wrong sign.

    So the relevance rises with `cosine` and `met`, and falls with `unmet` and `unmet_name`. The
    coefficient of the last one may be given.
    """
    kept = np.ones_like(_SIGNS)
    known = np.zeros(len(rows))
    if of_unmet_name is not None:
        kept[-1], known = 0.0, of_unmet_name * rows[:, -1]
    while True:
        found = _logistic(rows * kept, known, labels, weights)
        wrong = found[1:] * _SIGNS < 0
        if not wrong.any():
            break
        kept[wrong] = 0
    return found if of_unmet_name is None else np.array([*found[:-1], of_unmet_name])


def _logistic(rows: Numbers, known: Numbers, labels: Numbers, weights: Numbers) -> Numbers:
    """Return intercept and coefficients of a weighted logistic regression, by Newton's method.

    Args:
        rows: Array (n, features).
        known: Array (n,), the part of the logit that is not fitted.
        labels: Array (n,), 0 or 1.
        weights: Array (n,), weights of the rows.
    """
    design = np.column_stack([np.ones(len(rows)), rows])
    ridge = _RIDGE * np.eye(design.shape[1])
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-design @ found - known))
        slope = design.T @ (weights * (chance - labels)) + ridge @ found
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + ridge
        found = found - np.linalg.solve(curvature, slope)
    return found


if __name__ == "__main__":
    main()
