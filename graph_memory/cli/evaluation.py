"""The command that measures the quality of search: evaluate."""

from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.command import command, opened
from graph_memory.cli.completion import completing
from graph_memory.cli.memories import Profile
from graph_memory.cli.output import progress, show
from graph_memory.cli.output_file import replacing, require_drawable
from graph_memory.cli.values import DATA_FORMS, listed
from graph_memory.errors import InvalidArgumentError

app = typer.Typer()


@command(app, example="evaluate questions.json --k 5,10")
async def evaluate(
    data: Annotated[Path, typer.Argument(help="JSON file of memories and questions.")],
    form: Annotated[
        str,
        typer.Option(
            "--from",
            help=f"Format of the file: {listed(DATA_FORMS)}.",
            autocompletion=completing(DATA_FORMS),
        ),
    ] = "own",
    profile: Profile = "recall",
    k: Annotated[
        str, typer.Option(help="Cutoffs: numbers of results, between commas.")
    ] = "5,10,20",
    budget: Annotated[
        str, typer.Option(help="Token budgets, between commas.")
    ] = "500,1000,2000,4000",
    teach: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Largest shift of the vector weight by feedback, 0 to 1. Half of the "
            "questions give feedback, the others are scored.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Plot file to write, evidence against tokens: .png, .svg or .pdf."),
    ] = None,
) -> None:
    """Measure the share of known answers that searches find, in temporary groups."""
    from graph_memory.api.types import Profile as Profiles
    from graph_memory.domain.inputs import validate
    from graph_memory.evaluation import evaluate as evaluation
    from graph_memory.evaluation.dataset import Form, read_data

    read = read_data(data, validate(Form, form, "--from"))
    chosen = validate(Profiles, profile, "--profile")
    cutoffs, budgets = _numbers(k, "--k"), _numbers(budget, "--budget")
    if not cutoffs:
        raise InvalidArgumentError("--k", k, "give at least one number")
    require_drawable(plot)
    async with opened() as memory:
        with progress("Evaluating") as advance:
            scores = await evaluation.evaluate(
                memory,
                read,
                profile=chosen,
                cutoffs=cutoffs,
                budgets=budgets,
                taught_shift=teach,
                on_progress=advance,
            )
    columns = ["category", "questions"]
    columns += [f"R@{n}" for n in scores[0].recall]
    columns += ["MRR", "nDCG@10", "precision", "tokens"]
    columns += [f"at {n} tokens" for n in scores[0].found_at]
    rows = (
        [
            row.category,
            row.questions,
            *(f"{value:.3f}" for value in row.recall.values()),
            *(f"{value:.3f}" for value in (row.mrr, row.ndcg, row.precision)),
            f"{row.tokens:.0f}",
            *(f"{value:.3f}" for value in row.found_at.values()),
        ]
        for row in scores
    )
    show({"profile": profile, "scores": scores}, columns, rows)
    if plot:
        from graph_memory.reporting.plots import plot_evidence

        with replacing(plot) as path:
            plot_evidence(scores[0].found_at, path)


def _numbers(text: str, option: str) -> list[int]:
    try:
        numbers = [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        numbers = [0]
    if any(not 1 <= number <= 1_000_000 for number in numbers):
        raise InvalidArgumentError(option, text, "give numbers from 1 to 1000000 between commas")
    return numbers
