"""The command that measures the quality of search: evaluate."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, opened, request
from graph_memory.cli.completion import completing
from graph_memory.cli.memories import Profile
from graph_memory.cli.model_comparison import compare_models, refuse_beside_models
from graph_memory.cli.output import as_mapping, progress, show
from graph_memory.cli.output_file import replacing, require_drawable
from graph_memory.cli.values import DATA_FORMS, listed
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.evaluation.answerability import Answerability, Share
    from graph_memory.evaluation.evaluate import EvaluationReport
    from graph_memory.evaluation.metrics import Scores

app = typer.Typer()

_BUDGETS = "500,1000,2000,4000"


@command(app, example="evaluate questions.json --k 5,10")
async def evaluate(
    data: Annotated[Path, typer.Argument(help="File or folder of memories and questions.")],
    form: Annotated[
        str,
        typer.Option(
            "--from",
            help=f"Format of the data: {listed(DATA_FORMS)}.",
            autocompletion=completing(DATA_FORMS),
        ),
    ] = "own",
    profile: Profile = "recall",
    k: Annotated[str, typer.Option(help="Cutoffs: numbers of results, between commas.")] = "1,5,10",
    budget: Annotated[str, typer.Option(help="Token budgets, between commas.")] = _BUDGETS,
    ablate: Annotated[
        bool,
        typer.Option(
            "--ablate",
            help="Also measure the profile recall without each component whose weight is a "
            "setting, and without the context of conversations.",
        ),
    ] = False,
    teach: Annotated[
        bool,
        typer.Option(
            "--teach",
            help="Also measure the profile recall with the weights that half of the questions "
            "teach the other half, in each group.",
        ),
    ] = False,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="Embedding model to compare with the configured one, by vectors alone: a name, or "
            "a folder; repeatable."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Plot file to write, evidence against tokens and the reliability of the "
            "relevance: .png, .svg or .pdf."
        ),
    ] = None,
) -> None:
    """Measure the share of known answers that searches find, in temporary groups.

    The answer also has the figures of simple rankings of the same candidates: vectors, bm25, and
    fusion (reciprocal rank fusion of both). And it shows how well the relevance distinguishes
    questions in their group from those in another group, or without an answer.

    With --model, embedding models are compared by their vectors alone, and nothing is stored. The
    answer has the quality of each, its time and memory, and the cost of a change to it.
    """
    from graph_memory.api.types import Profile as Profiles
    from graph_memory.domain.inputs import validate
    from graph_memory.evaluation import evaluate as evaluation
    from graph_memory.evaluation.dataset import read_data
    from graph_memory.evaluation.formats import Form

    read = read_data(data, validate(Form, form, "--from"))
    chosen = validate(Profiles, profile, "--profile")
    cutoffs, budgets = _numbers(k, "--k"), _numbers(budget, "--budget")
    if not cutoffs:
        raise InvalidArgumentError("--k", k, "give at least one number")
    require_drawable(plot)
    if model:
        unused = {"profile": profile, "budget": budget, "ablate": ablate, "teach": teach}
        refuse_beside_models(unused | {"plot": plot}, {"profile": "recall", "budget": _BUDGETS})
        await compare_models(read, model, cutoffs)
        return
    async with opened() as memory:
        with progress("Evaluating") as advance:
            report = await evaluation.evaluate(
                memory,
                read,
                profile=chosen,
                cutoffs=cutoffs,
                budgets=budgets,
                ablates=ablate,
                teaches=teach,
                on_progress=advance,
            )
    _show_report(report, profile, cutoffs, budgets)
    if plot:
        _plot(report, plot)


def _show_report(
    report: "EvaluationReport", profile: str, cutoffs: Sequence[int], budgets: Sequence[int]
) -> None:
    columns = ["ranking", "category", "questions"]
    columns += [f"{name}@{n}" for name in ("R", "all") for n in cutoffs]
    columns += ["MRR", "nDCG@10", "95 %", "precision", "tokens", "difference", "95 %"]
    columns += [f"at {n} tokens" for n in budgets]
    own = [[profile, *_measures(row), "", "", *_shares(row.found_at)] for row in report.scores]
    others = [
        [c.method, *_measures(c.scores[0]), f"{c.difference:+.3f}", _ends(c.difference_interval)]
        for c in report.comparisons
    ]
    rows = [*own, *([*row, *[""] * len(budgets)] for row in others)]
    show({"profile": profile, **as_mapping(report)}, columns, rows)
    if report.answerability and not request().as_json:
        _show_answerability(report.answerability)


def _plot(report: "EvaluationReport", file: Path) -> None:
    from graph_memory.reporting.plots import plot_evaluation

    bins = report.answerability.reliability if report.answerability else []
    points = [(each.relevance, each.answerable) for each in bins]
    with replacing(file) as path:
        plot_evaluation(report.scores[0].found_at, points, path)


def _show_answerability(found: "Answerability") -> None:
    """Print the measures of the relevance in two tables."""
    blank = ("", "")
    others = {
        "calibration error": found.calibration_error,
        "precision at the cut": found.precision,
    }
    rows: list[tuple[str, ...]] = [
        (
            kind,
            str(number),
            *(_with_ends(found.auroc[kind]) if kind in found.auroc else blank),
            *_with_ends(found.known_no[kind]),
        )
        for kind, number in found.questions.items()
    ]
    show(None, ("asked in", "questions", "AUROC", "95 %", "known: no", "95 %"), rows)
    measured = ((name, *_with_ends(share)) for name, share in others.items() if share)
    show(None, ("measure", "value", "95 %"), measured)
    bins = (
        (f"{b.low:.1f}", str(b.questions), f"{b.relevance:.3f}", f"{b.answerable:.3f}")
        for b in found.reliability
    )
    show(None, ("relevance from", "questions", "mean", "answerable"), bins)


def _with_ends(share: "Share") -> tuple[str, str]:
    return f"{share.value:.3f}", _ends(share.interval)


def _measures(scores: "Scores") -> list[str]:
    """Return the cells of the measures that every ranking has."""
    return [
        scores.category,
        str(scores.questions),
        *_shares(scores.recall),
        *_shares(scores.complete),
        f"{scores.mrr:.3f}",
        f"{scores.ndcg:.3f}",
        _ends(scores.ndcg_interval),
        f"{scores.precision:.3f}",
        f"{scores.tokens:.0f}",
    ]


def _shares(values: Mapping[int, float]) -> list[str]:
    return [f"{value:.3f}" for value in values.values()]


def _ends(interval: tuple[float, float]) -> str:
    return " to ".join(f"{end:.3f}" for end in interval)


def _numbers(text: str, option: str) -> list[int]:
    try:
        numbers = [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        numbers = [0]
    if any(not 1 <= number <= 1_000_000 for number in numbers):
        raise InvalidArgumentError(option, text, "give numbers from 1 to 1000000 between commas")
    return numbers
