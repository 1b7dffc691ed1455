"""A report as one page of HTML that needs nothing else: no script, no font, no network."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape

from graph_memory.reporting.plots import curves_svg, dots_svg, forecast_svg, states_svg
from graph_memory.reporting.report import GroupReport

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }}
h2 {{ margin-top: 2.5rem; border-bottom: 1px solid #ddd; }}
img {{ max-width: 100%; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0;
  border-bottom: 1px solid #eee; overflow-wrap: break-word; }}
.fail {{ color: #b3261e; }}
.warn {{ color: #8a5a00; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(report: GroupReport) -> str:
    """Return the whole document."""
    title = escape(f"Memories of {report.group_id}")
    sections = (_overview, _states, _retention, _coming, _connectors, _health, _runs)
    return _PAGE.format(title=title, body="\n".join(section(report) for section in sections))


def _overview(report: GroupReport) -> str:
    forecast = report.forecast
    memories = sum(forecast.points[0].states.values())
    return (
        f"<p>{_date(report.at)} UTC. {memories} memories, {report.analysis.relations} "
        f"relations, policy {escape(forecast.policy)} (rules {escape(forecast.rules)}). "
        f"Over all groups, {report.status.due_now} are due now, {report.status.due_in_a_day} "
        "within a day.</p>"
    )


def _states(report: GroupReport) -> str:
    states = report.forecast.points[0].states
    shown = {state: count for state, count in states.items() if state != "PURGED"}
    return _section(
        "States",
        _image(states_svg(shown), "How many memories are in which state"),
        _table(("state", "memories"), shown.items()),
    )


def _retention(report: GroupReport) -> str:
    return _section(
        "Retention",
        _image(dots_svg(report.dots), "What is kept of each memory, by days unused"),
        f"<p>The {len(report.dots)} most important memories: the colour is the state, the size the "
        "importance. Below, what is kept of an untouched memory of importance 5.</p>",
        _image(curves_svg(report.curves), "Retention curves by stability"),
    )


def _coming(report: GroupReport) -> str:
    forecast = report.forecast
    return _section(
        "The coming year",
        _image(forecast_svg(forecast), "States over the coming year if nothing is touched"),
        _table(("change of state", "memories"), forecast.transitions.items()),
        "<h3>Forgotten first</h3>",
        _table(
            ("on", "memory", "id"),
            ((_date(lost.lost_at), lost.lead, lost.memory_id) for lost in forecast.first_lost),
        ),
    )


def _connectors(report: GroupReport) -> str:
    found = report.analysis
    return _section(
        "Top connectors",
        _table(
            ("relations", "memory", "id"),
            (
                (each.degree, report.leads.get(each.memory_id, ""), each.memory_id)
                for each in found.top_connectors
            ),
        ),
        f"<p>{found.island_count} connected parts, {found.bridge_count} bridges, {found.isolated} "
        "memories without a relation.</p>",
    )


def _health(report: GroupReport) -> str:
    checks = (
        f'<tr class="{escape(check.status)}">{_cells(check.status, check.name)}'
        f"{_cells(check.detail, check.remedy)}</tr>"
        for check in report.checks
    )
    problems = ((each.count, each.problem, each.example) for each in report.problems)
    return _section(
        "Health",
        f"<table>{_head(('status', 'check', 'found', 'remedy'))}{''.join(checks)}</table>",
        "<h3>Broken rules</h3>",
        _table(("times", "problem", "for example"), problems),
    )


def _runs(report: GroupReport) -> str:
    status = report.status
    paused = status.paused and (
        f"<p>Paused since {_date(status.paused.since)}: {escape(status.paused.reason)}</p>"
    )
    return _section(
        "Last runs",
        paused or "",
        _table(
            ("started", "status", "processed", "transitioned", "errors", "seconds"),
            (
                (
                    _date(run.started_at),
                    run.status,
                    run.counts.processed,
                    ", ".join(f"{step} {count}" for step, count in run.transitioned.items()),
                    run.counts.errors,
                    run.duration_seconds,
                )
                for run in status.runs
            ),
        ),
    )


def _section(title: str, *parts: str) -> str:
    return "\n".join((f"<section>\n<h2>{escape(title)}</h2>", *parts, "</section>"))


def _image(svg: bytes, described: str) -> str:
    # Each as a document of its own: ids within one cannot meet those of another.
    data = b64encode(svg).decode()
    return f'<img alt="{escape(described)}" src="data:image/svg+xml;base64,{data}">'


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    body = "".join(f"<tr>{_cells(*row)}</tr>" for row in rows)
    return f"<table>{_head(columns)}{body}</table>" if body else "<p>None.</p>"


def _head(columns: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<th>{escape(column)}</th>" for column in columns) + "</tr>"


def _cells(*values: object) -> str:
    return "".join(f"<td>{escape(_text(value))}</td>" for value in values)


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
