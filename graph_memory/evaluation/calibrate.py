"""Calibrate the relevance of search results on data with known answers.

Run `python -m graph_memory.evaluation.calibrate FORM:FILE...`, with the forms of `evaluate --from`.
The result replaces `ranking/calibration.json`. The model of embeddings is that of the settings.

Each question is asked in its own group, and once where nothing answers it: in another group, of the
same data or of other data. A question without evidence counts as one that nothing answers. The
best result of an answerable question counts as relevant, that of any other question does not. Each
kind of data weighs the same, and so do its answerable and its other questions.
"""

import argparse
import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import Filters, validate
from graph_memory.domain.scope import CallScope
from graph_memory.evaluation.dataset import Evaluation, read_data
from graph_memory.evaluation.evaluate import stored
from graph_memory.evaluation.formats import Form
from graph_memory.evaluation.metrics import DEPTH
from graph_memory.ranking.relevance import Calibration, Numbers
from graph_memory.ranking.scoring import rank, relevance_features
from graph_memory.search.candidates import gather

_MOST_FOREIGN = 300
_ROUNDS = 4
_STEPS = 50
_RIDGE = 1e-5

#: Features of the best results of a question, and whether the group has an answer.
_Example = tuple[Numbers, bool]


def main() -> None:
    """Read the data, fit the coefficients and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FORM:FILE")
    kinds = [file.partition(":") for file in parser.parse_args().files]
    data = [read_data(Path(path), validate(Form, form, "FORM")) for form, _, path in kinds]
    calibration = asyncio.run(_calibrated(data))
    calibration.write()
    print(calibration)  # noqa: T201 - the output of a script


async def _calibrated(data: Sequence[Evaluation]) -> Calibration:
    async with GraphMemory.open() as memory:
        examples = await collect(memory, data)
        return fit(memory.settings.embedding_model, examples)


async def collect(memory: GraphMemory, data: Sequence[Evaluation]) -> list[list[_Example]]:
    """Ask the questions of each kind of data, and return the examples of each kind."""
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


async def _example(memory: GraphMemory, text: str, group: str, answerable: bool) -> _Example:
    engine, scope = memory.context.engine, CallScope(group, memory.clock())
    embedding = await engine.embedder.embed_query_tokens(text)
    gathered = await gather(engine, scope, text, embedding, limit=DEPTH, filters=Filters())
    if gathered is None:
        return np.zeros((1, 3)), answerable
    candidates = gathered.candidates
    inputs = gathered.query, candidates, gathered.token_vectors, engine.settings, scope.now
    best = rank(*inputs, limit=DEPTH).top(DEPTH)
    places = {memory.memory_id: i for i, memory in enumerate(candidates.memories)}
    return relevance_features(candidates)[[places[m.memory_id] for m in best]], answerable


def fit(model: str, examples: Sequence[Sequence[_Example]]) -> Calibration:
    """Fit a logistic regression to the result of each question with the highest relevance.

    Which result that is depends on the coefficients, so it is chosen again after each fit.

    Args:
        model: Name of the embedding model.
        examples: Examples of each kind of data.
    """
    weights = np.array([1.0, 0.0, 0.0])
    intercept = 0.0
    for _ in range(_ROUNDS):
        rows = [[found[np.argmax(found @ weights)] for found, _ in kind] for kind in examples]
        labels = [
            np.array([answerable for _, answerable in kind], dtype=float) for kind in examples
        ]
        shares = [
            np.where(label > 0, 1 / max(1, label.sum()), 1 / max(1, (1 - label).sum()))
            for label in labels
        ]
        intercept, *rest = _logistic(
            np.vstack([np.array(row) for row in rows]),
            np.concatenate(labels),
            np.concatenate(shares) / (2 * len(examples)),
        )
        weights = np.array(rest)
    cosine, met, unmet = (round(float(weight), 3) for weight in weights)
    return Calibration(model, round(float(intercept), 3), cosine, met, unmet)


def _logistic(rows: Numbers, labels: Numbers, weights: Numbers) -> Numbers:
    """Return intercept and coefficients of a weighted logistic regression, by Newton's method."""
    design = np.column_stack([np.ones(len(rows)), rows])
    ridge = _RIDGE * np.eye(design.shape[1])
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (weights * (chance - labels)) + ridge @ found
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + ridge
        found = found - np.linalg.solve(curvature, slope)
    return found


if __name__ == "__main__":
    main()
