"""Pictures of what is told in numbers, as PNG, SVG or PDF; the only import of matplotlib (lazy)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graph_memory.errors import InvalidArgumentError
from graph_memory.forecast import STATES, Forecast

_FORMATS = (".png", ".svg", ".pdf")

_COLOURS = ("#2a9d8f", "#8ab17d", "#e9c46a", "#f4a261", "#e76f51", "#9d9d9d")


def plot_forecast(forecast: Forecast, file: Path) -> None:
    """Draw how many memories will be in which state.

    Args:
        forecast: Its points are the places on the time axis.
        file: Where to; its ending chooses the format.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    figure, axes = _figure(file)
    times = [point.at for point in forecast.points]
    counts = [[point.states[state] for point in forecast.points] for state in STATES]
    axes.stackplot(times, counts, labels=STATES, colors=_COLOURS)
    axes.set(
        title=f"States under policy {forecast.policy}, if nothing is touched", ylabel="memories"
    )
    axes.margins(0)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    figure.autofmt_xdate()
    figure.savefig(file, bbox_inches="tight")


def plot_evidence(found_at: Mapping[int, float], file: Path) -> None:
    """Draw the share of evidence that searches found, 0 to 1, against the tokens spent on it.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    figure, axes = _figure(file)
    axes.plot(list(found_at), list(found_at.values()), marker="o", color=_COLOURS[0])
    axes.set(xlabel="tokens spent", ylabel="evidence found", ylim=(0, 1), xlim=(0, None))
    axes.grid(alpha=0.3)
    figure.savefig(file, bbox_inches="tight")


def _figure(file: Path) -> tuple[Any, Any]:
    if file.suffix.lower() not in _FORMATS:
        raise InvalidArgumentError("plot", str(file), f"a file that ends in {', '.join(_FORMATS)}")
    # A figure without pyplot needs no display and leaves no global state behind.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), dpi=120)
    return figure, figure.add_subplot()
