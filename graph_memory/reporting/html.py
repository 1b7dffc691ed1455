"""The page as one HTML document that needs nothing else: no font, no library, no other origin.

`page/page.html.jinja` is the template of both forms: saved, with the report of a group, and living,
with calls of the tools of its server or of its MCP host. The same script draws both. The page is
light or dark, as the reader's browser prefers.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from pydantic_core import to_jsonable_python

from graph_memory.reporting.report import GroupReport

#: The parts of the script, in their order.
_SCRIPTS = ("elements", "saved", "client", "drawings", "memories", "review", "overview", "start")


@dataclass(frozen=True, slots=True)
class Document:
    """A page: its document, and its Content-Security-Policy."""

    document: str
    policy: str


def page(report: GroupReport, answers: Mapping[str, Any] | None = None) -> str:
    """Return the whole document of a saved report.

    Args:
        report: The report of a group.
        answers: Answers of tools, by tool and by id of a memory; the page shows these memories.
    """
    return _document(
        policy="",
        report=report,
        saved=_saved(report, answers or {}),
        cell=_cell,
        forecast=report.forecast,
        status=report.status,
        **_numbers(report),
        **_rows(report),
    ).document


@cache
def living_page() -> Document:
    """Return the page without data."""
    return _document(policy="; connect-src 'self'", report=None)


def _document(policy: str, **given: Any) -> Document:
    """Return the document with its policy: its script runs by its hash, and no other one does."""
    style = _part("page.css")
    parts = "".join(_part(f"{name}.js") for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{parts}}})();\n'
    whole = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        f"base-uri 'none'; form-action 'none'{policy}"
    )
    document = _template().render(policy=whole, style=style, script=script, **given)
    return Document(document, whole)


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


def _saved(report: GroupReport, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws and shows, as JSON; without memories, only the curves."""
    stabilities = groupby(report.curves, key=lambda each: each.stability)
    return {
        "answers": answers,
        "curves": {
            stability: [round(each.retention, 3) for each in points]
            for stability, points in stabilities
        },
        "days": max(each.day for each in report.curves),
        "dots": [
            (each.state, each.importance, round(each.idle_days, 1), round(each.retention, 3))
            for each in report.dots
        ],
        "forecast": to_jsonable_python(report.forecast.points),
        "nodes": [
            {"memory_id": each.memory_id, "content": report.leads.get(each.memory_id)}
            for each in report.connectors
        ],
        "edges": [{"from_id": start, "to_id": end} for start, end in report.neighbours],
    }


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
