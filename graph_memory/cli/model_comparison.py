"""The comparison of embedding models by the command evaluate."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graph_memory.cli.command import configured, opened, request
from graph_memory.cli.output import progress, show
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.evaluation.dataset import Evaluation
    from graph_memory.evaluation.models import Change, ModelReport


def refuse_beside_models(given: Mapping[str, object], defaults: Mapping[str, object]) -> None:
    """Refuse options that a comparison of models would ignore.

    Args:
        given: Their values by name.
        defaults: Values that mean that an option is not given, beside False and None.

    Raises:
        InvalidArgumentError: One is given.
    """
    for name, value in given.items():
        if value and value != defaults.get(name):
            raise InvalidArgumentError(
                name, value, "models are compared by vectors alone; leave it out, or --model"
            )


async def compare_models(data: "Evaluation", models: Sequence[str], cutoffs: Sequence[int]) -> None:
    """Compare models with the configured one, and print their measures and costs."""
    from graph_memory.evaluation import models as comparison

    comparison.model_settings(configured(), models)  # before a database is started
    async with opened() as memory:
        with progress("Comparing") as advance:
            reports = await comparison.compare_models(
                memory, data, models, cutoffs=cutoffs, on_progress=advance
            )
    columns = ["model", *(f"R@{k}" for k in cutoffs), "MRR", "nDCG@10", "ms a question"]
    columns += ["ms for 1,000 texts", "MB of memory", "dimensions", "bytes a vector"]
    show({"compared": "vectors", "models": reports}, columns, map(_row, reports))
    if not request().as_json:
        for sentence in _sentences(reports):
            print(sentence)


def _row(report: "ModelReport") -> list[str]:
    """Return the cells of a model; in brackets is the interval of the difference."""
    scores = report.scores[0]
    values = {f"recall@{k}": value for k, value in scores.recall.items()}
    values |= {"mrr": scores.mrr, "ndcg": scores.ndcg}
    return [
        report.model,
        *(_with_difference(report, name, value) for name, value in values.items()),
        f"{report.question_ms:.1f}",
        f"{report.texts_ms:.0f}",
        f"{report.peak_mb:.0f}",
        str(report.dimensions),
        str(report.vector_bytes),
    ]


def _with_difference(report: "ModelReport", measure: str, value: float) -> str:
    if measure not in report.differences:
        return f"{value:.3f}"
    low, high = report.differences[measure].interval
    return f"{value:.3f} ({low:+.3f} to {high:+.3f})"


def _sentences(reports: "Sequence[ModelReport]") -> list[str]:
    """Return the way of the comparison, and the cost of a change to each model."""
    configured = reports[0].model
    return [
        "Vectors alone are compared, by exact cosine. In brackets is the 95 % interval of the "
        f"difference to {configured}.",
        *(_cost(each, each.change) for each in reports if each.change),
    ]


def _cost(report: "ModelReport", change: "Change") -> str:
    relevance = "" if change.calibrated else " Results have no relevance until it is calibrated."
    return (
        f"A change to {report.model} costs: {change.texts} texts to embed again, about "
        f"{change.minutes:.1f} minutes, {change.megabytes:.1f} MB of vectors; set "
        f"GRAPH_MEMORY_EMBEDDING_MODEL={report.model} and "
        f"GRAPH_MEMORY_EMBEDDING_DIMENSIONS={report.dimensions}, then run "
        f"`graph-memory embeddings rebuild`.{relevance}"
    )
