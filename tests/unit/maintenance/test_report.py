"""A report has the counts of a run, and shows why a run stopped."""

from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from graph_memory.decay.protected import Protected
from graph_memory.maintenance.records import Counts, Run
from graph_memory.maintenance.report import report_of

NOW = datetime(2026, 1, 31, tzinfo=UTC)
NONE = Protected([], 0, 0, 0, 0)


def a_run(status: str, *, truncated: bool = False) -> Run:
    run = Run("1", NOW, NOW, status, ["decay"], None, 100, False, "rules", "half_life")
    run.truncated = truncated
    return run


@pytest.mark.parametrize(
    ("run", "completed", "paused", "truncated"),
    [
        (a_run("done"), True, False, False),
        (a_run("stopped"), False, True, False),
        (a_run("stopped", truncated=True), False, False, True),
    ],
)
def test_a_run_is_completed_paused_or_truncated(
    run: Run, completed: bool, paused: bool, truncated: bool
) -> None:
    earlier = a_run("done")
    earlier.run_id = "0"
    report = report_of(run, NONE, resumed=[earlier])
    assert (report.completed, report.paused, report.truncated) == (completed, paused, truncated)
    assert (report.resumed, report.dry_run) == (["0"], False)


def test_a_report_has_every_count() -> None:
    run = a_run("done")
    run.counts = Counts(1, 2, 3, 4, 5, 6, 7)
    assert asdict(run.counts).items() <= asdict(report_of(run, NONE)).items()
