"""Pictures of what is told in numbers, as PNG, SVG or PDF; the only import of matplotlib (lazy)."""

import io
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_memory.decay.forecast import STATES, Forecast
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.reporting.report import CurvePoint, MemoryDot

_FORMATS = (".png", ".svg", ".pdf")

_COLOURS = ("#2a9d8f", "#8ab17d", "#e9c46a", "#f4a261", "#e76f51", "#9d9d9d")
_COLOUR_OF: dict[str, str] = dict(zip(STATES, _COLOURS, strict=True))


def require_format(file: Path, argument: str = "plot") -> None:
    """Refuse a file whose ending names no format.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    if file.suffix.lower() not in _FORMATS:
        raise InvalidArgumentError(
            argument, str(file), f"a file that ends in {', '.join(_FORMATS)}"
        )


def plot_forecast(forecast: Forecast, file: Path) -> None:
    """Draw how many memories will be in which state.

    Args:
        forecast: Its points are the places on the time axis.
        file: Where to; its ending chooses the format.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    require_format(file)
    _forecast_figure(forecast).savefig(file, bbox_inches="tight")


def plot_evidence(found_at: Mapping[int, float], file: Path) -> None:
    """Draw the share of evidence that searches found, 0 to 1, against the tokens spent on it.

    Raises:
        InvalidArgumentError: The ending is none of .png, .svg and .pdf.
    """
    require_format(file)
    figure, axes = _figure()
    axes.plot(list(found_at), list(found_at.values()), marker="o", color=_COLOURS[0])
    axes.set(xlabel="tokens spent", ylabel="evidence found", ylim=(0, 1), xlim=(0, None))
    axes.grid(alpha=0.3)
    figure.savefig(file, bbox_inches="tight")


def forecast_svg(forecast: Forecast) -> bytes:
    """Draw how many memories will be in which state."""
    return _svg(_forecast_figure(forecast))


def states_svg(states: Mapping[str, int]) -> bytes:
    """Draw how many memories are in which state."""
    figure, axes = _figure()
    bars = axes.bar(list(states), list(states.values()), color=[_COLOUR_OF[s] for s in states])
    axes.bar_label(bars)
    axes.set(ylabel="memories")
    axes.spines[["top", "right"]].set_visible(False)
    return _svg(figure)


def curves_svg(kept: Sequence["CurvePoint"]) -> bytes:
    """Draw what is kept of an untouched memory over the days, a line for each stability."""
    figure, axes = _figure()
    for stability, points in groupby(kept, key=lambda each: each.stability):
        line = [(each.day, each.retention) for each in points]
        axes.plot(*zip(*line, strict=True), color=_COLOURS[5 - stability], label=str(stability))
    axes.set(xlabel="days unused", ylabel="retention", ylim=(0, 1.02))
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    axes.legend(title="stability", frameon=False)
    return _svg(figure)


def dots_svg(dots: Sequence["MemoryDot"]) -> bytes:
    """Draw what is kept of each memory by its days unused; state is colour, importance size."""
    figure, axes = _figure()
    by_state = {state: [dot for dot in dots if dot.state == state] for state in STATES}
    for state, of_state in by_state.items():
        if not of_state:
            continue
        axes.scatter(
            [dot.idle_days for dot in of_state],
            [dot.retention for dot in of_state],
            s=[4 * dot.importance**1.5 for dot in of_state],
            color=_COLOUR_OF[state],
            alpha=0.6,
            label=state,
        )
    axes.set(xlabel="days unused", ylabel="retention", ylim=(-0.02, 1.05), xlim=(-1, None))
    axes.grid(alpha=0.3)
    if dots:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return _svg(figure)


def _forecast_figure(forecast: Forecast) -> Any:
    figure, axes = _figure()
    times = [point.at for point in forecast.points]
    counts = [[point.states[state] for point in forecast.points] for state in STATES]
    axes.stackplot(times, counts, labels=STATES, colors=_COLOURS)
    axes.set(
        title=f"States under policy {forecast.policy}, if nothing is touched", ylabel="memories"
    )
    axes.margins(0)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    figure.autofmt_xdate()
    return figure


def _svg(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    return out.getvalue()


def _figure() -> tuple[Any, Any]:
    # A figure without pyplot needs no display and leaves no global state behind.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), dpi=120)
    return figure, figure.add_subplot()
