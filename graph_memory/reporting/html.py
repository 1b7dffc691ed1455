"""The page as one HTML document that needs nothing else: no font, no library, no other origin.

`page/page.html.jinja` is the template of both forms: saved, with the report of a group and without
a script, and living, with the script that calls the tools of its server or of its MCP host. The
page is light or dark, as the reader's browser prefers.
"""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from graph_memory.reporting import plots
from graph_memory.reporting.report import GroupReport

#: The parts of the script, in their order.
_SCRIPTS = ("elements", "client", "drawings", "memories", "review", "overview", "start")

_SAVED_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class LivingPage:
    """The living page: its document, and its Content-Security-Policy."""

    document: str
    policy: str


def page(report: GroupReport) -> str:
    """Return the whole document of a saved report."""
    return _template().render(
        policy=_SAVED_POLICY,
        style=_part("page.css"),
        report=report,
        cell=_cell,
        forecast=report.forecast,
        status=report.status,
        colours=plots.STATE_COLOURS,
        pictures=_pictures(report),
        **_numbers(report),
        **_rows(report),
    )


@cache
def living_page() -> LivingPage:
    """Return the page without data. Its script runs by its hash, and no other script runs."""
    style = _part("page.css")
    parts = "".join(_part(f"{name}.js") for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{parts}}})();\n'
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    document = _template().render(policy=policy, style=style, script=script, report=None)
    return LivingPage(document, policy)


def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("graph_memory.reporting", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("page.html.jinja")


def _part(name: str) -> str:
    return (files("graph_memory.reporting") / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


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
