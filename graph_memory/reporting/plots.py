"""Plots as PNG, SVG or PDF files, and as SVG elements of a page; matplotlib is imported lazily."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graph_memory.decay.forecast import STATES, Forecast
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph_memory.reporting.report import CurvePoint, MemoryDot
    from graph_memory.traversal.analysis import Connector

_FORMATS = (".png", ".svg", ".pdf")

_COLOURS = ("#2a9d8f", "#8ab17d", "#e9c46a", "#f4a261", "#e76f51", "#9d9d9d")
#: The colour of each state.
STATE_COLOURS: dict[str, str] = dict(zip(STATES, _COLOURS, strict=True))

# Stands in a drawing for the colour of the text around it, which is dark or light.
_INK = "#010203"

_ON_PAGE: Any = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "grid.color"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), _INK),
    "svg.fonttype": "none",
    "legend.frameon": False,
}

_LAYOUT_STEPS = 200


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


def forecast_svg(forecast: Forecast) -> str:
    """Draw the number of memories in each state over time."""

    def draw(axes: Any) -> None:
        _draw_forecast(axes, forecast)
        _legend_above(axes)

    return _page_svg(draw)


def curves_svg(kept: Sequence["CurvePoint"]) -> str:
    """Draw the retention of an unused memory over the days, a line for each stability."""

    def draw(axes: Any) -> None:
        for stability, points in groupby(kept, key=lambda each: each.stability):
            line = [(each.day, each.retention) for each in points]
            axes.plot(*zip(*line, strict=True), color=_COLOURS[5 - stability], label=str(stability))
        axes.set(xlabel="days unused", ylabel="retention", ylim=(0, 1.02))
        axes.margins(x=0)
        axes.grid(alpha=0.3)
        axes.legend(title="stability")

    return _page_svg(draw)


def dots_svg(dots: Sequence["MemoryDot"]) -> str:
    """Draw the retention of each memory by its days unused; state is colour, importance size."""

    def draw(axes: Any) -> None:
        for state in STATES:
            if of_state := [dot for dot in dots if dot.state == state]:
                _scatter(axes, state, of_state)
        axes.set(xlabel="days unused", ylabel="retention", ylim=(-0.02, 1.05), xlim=(-1, None))
        axes.grid(alpha=0.3)
        _legend_above(axes)

    return _page_svg(draw)


def graph_svg(connectors: Sequence["Connector"], neighbours: Sequence[tuple[str, str]]) -> str:
    """Draw memories and the relations among them; the first ten are numbered.

    Args:
        connectors: The memories, those of most relations first.
        neighbours: Pairs of ids of memories with a relation.
    """
    place = {each.memory_id: number for number, each in enumerate(connectors)}
    lines = [(place[a], place[b]) for a, b in neighbours]
    at = _layout(len(connectors), lines)
    size = [30 + 300 * each.degree / connectors[0].degree for each in connectors]

    def draw(axes: Any) -> None:
        for a, b in lines:
            axes.plot(*at[[a, b]].T, color=_INK, alpha=0.35, linewidth=0.8, zorder=1)
        axes.scatter(*at.T, s=size, color=_COLOURS[0], zorder=2)
        for number, (x, y) in enumerate(at[:10], 1):
            axes.annotate(str(number), (x, y), ha="center", va="center", fontsize=8, color="black")
        axes.set_axis_off()
        axes.margins(0.1)

    return _page_svg(draw)


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


def _scatter(axes: Any, state: str, dots: Sequence["MemoryDot"]) -> None:
    axes.scatter(
        [dot.idle_days for dot in dots],
        [dot.retention for dot in dots],
        s=[4 * dot.importance**1.5 for dot in dots],
        color=STATE_COLOURS[state],
        alpha=0.6,
        label=state,
    )


def _legend_above(axes: Any) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


def _layout(count: int, lines: Sequence[tuple[int, int]]) -> "NDArray[np.float64]":
    """Place the nodes of a graph in the plane, from a circle on, the same each time.

    Source: T. Fruchterman, E. Reingold, "Graph drawing by force-directed placement", 1991; with a
    pull to the middle, which keeps parts without a relation between them in sight.
    """
    angle = 2 * np.pi * np.arange(count) / max(count, 1)
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    joined = np.zeros((count, count))
    for a, b in lines:
        joined[a, b] = joined[b, a] = a != b
    ideal = 2 / np.sqrt(max(count, 1))
    for step in np.linspace(0.2, 0.002, _LAYOUT_STEPS):
        apart = at[:, None] - at[None]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 0.01)
        push = ideal**2 / distance**2 - joined * distance / ideal
        force = (push[..., None] * apart).sum(axis=1) - at
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        at = at + force / length * np.minimum(length, step)
    return at


def _page_svg(draw: Callable[[Any], None]) -> str:
    """Draw for a page: an SVG element without a background, with text in the font of the page."""
    import matplotlib
    from matplotlib.figure import Figure

    out, library = io.StringIO(), cast(Any, matplotlib)
    with library.rc_context(_ON_PAGE):
        figure: Any = Figure(figsize=(5, 3))
        draw(figure.add_subplot())
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", bbox_inches="tight", transparent=True, metadata=metadata)
    text = out.getvalue()
    element = text[text.index("<svg") :].replace(_INK, "currentColor")
    return re.sub(r'<g id="[^"]*"', "<g", element)  # the same in each picture, and of no use


def _figure() -> tuple[Any, Any]:
    # A figure without pyplot needs no display and leaves no global state behind.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), dpi=120)
    return figure, figure.add_subplot()
