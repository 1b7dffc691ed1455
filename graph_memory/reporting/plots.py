"""Plots as PNG, SVG or PDF files; matplotlib is imported lazily."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graph_memory.decay.forecast import STATES, Forecast
from graph_memory.errors import InvalidArgumentError

_FORMATS = (".png", ".svg", ".pdf")

_COLOURS = ("#2a9d8f", "#8ab17d", "#e9c46a", "#f4a261", "#e76f51", "#9d9d9d")
#: The colour of each state.
STATE_COLOURS: dict[str, str] = dict(zip(STATES, _COLOURS, strict=True))


def require_format(file: Path, argument: str = "plot") -> None:
    """Raise an error for a file whose ending names no format.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    if file.suffix.lower() not in _FORMATS:
        raise InvalidArgumentError(
            argument, str(file), f"a file that ends in {', '.join(_FORMATS)}"
        )


def plot_forecast(forecast: Forecast, file: Path) -> None:
    """Draw the number of memories in each state over time.

    Args:
        forecast: Forecast with the points in time.
        file: File to write; its ending chooses the format.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    require_format(file)
    figure, axes = _figure()
    _draw_forecast(axes, forecast)
    axes.set(title=f"States under policy {forecast.policy}, if nothing is touched")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    figure.savefig(file, bbox_inches="tight")


def plot_evaluation(
    found_at: Mapping[int, float], reliability: Sequence[tuple[float, float]], file: Path
) -> None:
    """Draw the evidence found against the tokens spent on it, and the reliability of the relevance.

    Args:
        found_at: Share of the evidence, 0 to 1, by tokens.
        reliability: Mean relevance and share of answerable questions of each bin, 0 to 1; without
            a bin, it is not drawn.
        file: File to write; its ending chooses the format.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    require_format(file)
    figure, axes = _figure()
    axes.plot(list(found_at), list(found_at.values()), marker="o", color=_COLOURS[0])
    axes.set(xlabel="tokens spent", ylabel="evidence found", ylim=(0, 1), xlim=(0, None))
    axes.grid(alpha=0.3)
    if reliability:
        axes.set_position((0.08, 0.12, 0.38, 0.8))
        _draw_reliability(figure.add_axes((0.58, 0.12, 0.38, 0.8)), reliability)
    figure.savefig(file, bbox_inches="tight")


def _draw_reliability(axes: Any, reliability: Sequence[tuple[float, float]]) -> None:
    axes.plot((0, 1), (0, 1), color=_COLOURS[5], linestyle="--")
    axes.plot(*zip(*reliability, strict=True), marker="o", color=_COLOURS[0])
    axes.set(xlabel="relevance", ylabel="answerable questions", ylim=(0, 1), xlim=(0, 1))
    axes.grid(alpha=0.3)


def _draw_forecast(axes: Any, forecast: Forecast) -> None:
    points = forecast.points
    shown = [s for s in STATES if any(point.states[s] for point in points)] or STATES
    axes.stackplot(
        [point.at for point in points],
        [[point.states[state] for point in points] for state in shown],
        labels=shown,
        colors=[STATE_COLOURS[state] for state in shown],
    )
    axes.set(ylabel="memories")
    axes.margins(0)
    axes.figure.autofmt_xdate()


def _figure() -> tuple[Any, Any]:
    # A figure without pyplot needs no display and leaves no global state behind.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), dpi=120)
    return figure, figure.add_subplot()
