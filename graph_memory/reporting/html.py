"""A report as one HTML page that needs nothing else: no script, no font, no network.

The page is `report.html.jinja`. Its pictures are SVG elements. It is light or dark, as the reader's
browser prefers.
"""

from datetime import datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from graph_memory.reporting import plots
from graph_memory.reporting.report import GroupReport


def page(report: GroupReport) -> str:
    """Return the whole document."""
    environment = Environment(
        loader=PackageLoader("graph_memory", "reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    template = environment.get_template("report.html.jinja")
    return template.render(
        report=report,
        cell=_cell,
        forecast=report.forecast,
        status=report.status,
        colours=plots.STATE_COLOURS,
        pictures=_pictures(report),
        **_numbers(report),
        **_rows(report),
    )


def _numbers(report: GroupReport) -> dict[str, Any]:
    now = report.forecast.points[0].states
    kept = {state: count for state, count in now.items() if count and state != "PURGED"}
    return {"memories": sum(now.values()), "states": kept}


def _rows(report: GroupReport) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of each table."""
    leads = report.leads
    return {
        "forgotten": [
            (lost.lost_at, leads.get(lost.memory_id, lost.lead), lost.memory_id)
            for lost in report.forecast.first_lost
        ],
        "connectors": [
            (number, each.degree, leads.get(each.memory_id, ""), each.memory_id)
            for number, each in enumerate(report.analysis.top_connectors, 1)
        ],
        "clusters": [
            (
                each.label or "",
                each.size,
                ", ".join(f"{state} {count}" for state, count in each.states.items() if count),
                each.oldest,
                each.newest,
                each.central or "",
                each.cluster_id,
            )
            for each in report.clusters
        ],
        "problems": [(each.count, each.problem, each.example) for each in report.problems],
        "runs": [
            (
                run.started_at,
                run.status,
                run.counts.processed,
                ", ".join(f"{step} {count}" for step, count in run.transitioned.items()),
                run.counts.errors,
                run.duration_seconds,
            )
            for run in report.status.runs
        ],
    }


def _pictures(report: GroupReport) -> dict[str, str]:
    """Draw what the page shows; without memories, only the curves."""
    pictures = {"curves": plots.curves_svg(report.curves)}
    if report.dots:
        pictures["dots"] = plots.dots_svg(report.dots)
        pictures["forecast"] = plots.forecast_svg(report.forecast)
    if report.neighbours:
        pictures["graph"] = plots.graph_svg(report.connectors, report.neighbours)
    return pictures


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
