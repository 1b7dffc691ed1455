"""What operators see: every metric, from the database or this process, and every alert."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import yaml
from neo4j import AsyncDriver
from prometheus_client.parser import text_string_to_metric_families

from graph_memory import GraphMemory, metrics
from graph_memory.database import counters
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.diagnostics import database_metrics
from graph_memory.errors import DuplicateError
from graph_memory.maintenance import records, totals
from graph_memory.maintenance.records import Run
from tests.conftest import TODAY, Clock
from tests.support.mcp_client import inside

CONFIG = Path(__file__).parents[3] / "config"
RULES = {
    rule["alert"]: rule
    for group in yaml.safe_load((CONFIG / "prometheus" / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
}
DASHBOARD = json.loads((CONFIG / "grafana" / "dashboards" / "graph-memory.json").read_text())

#: A metric in a rule or a panel: its name, labels and range.
SELECTOR = re.compile(r"\b((?:knowledge|graph_memory|up)\w*)(\{[^}]*\})?(\[\w+\])?(?!\w)")

Scrape = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a scrape wait for its count, however slow the machine, rather than get the one before."""
    monkeypatch.setattr(database_metrics, "_WAIT_SECONDS", 20.0)


@contextmanager
def scraping(memory: GraphMemory) -> Iterator[Callable[[], Any]]:
    """Publish the metrics of a service; yield what scrapes them, in a thread as Prometheus does."""
    settings = memory.settings.model_copy(update={"metrics_cache_seconds": 0.0})
    fresh = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=memory.clock
    )
    with metrics.exported("127.0.0.1", 0) as port, database_metrics.publishing(fresh.context):

        def scrape() -> Scrape:
            text = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=30).text
            return {
                (sample.name, frozenset(sample.labels.items())): sample.value
                for family in text_string_to_metric_families(text)
                for sample in family.samples
            }

        async def in_a_thread() -> Scrape:
            return await asyncio.to_thread(scrape)

        yield in_a_thread


def value(found: Scrape, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


def a_run(number: int, status: str, seconds: float, **transitioned: int) -> Run:
    transitions = {
        transition.replace("_to_", ">"): count for transition, count in transitioned.items()
    }
    return Run(
        run_id=f"metrics-{number}",
        now=TODAY,
        started_at=TODAY.replace(year=2040 + number),
        status=status,
        stages=[],
        groups=["nobody"],
        canary=100,
        full=False,
        rules="",
        policy="",
        transitioned=transitions,
        duration_seconds=seconds,
    )


async def record(memory: GraphMemory, run: Run) -> None:
    """Leave in the database what a run leaves that ends like this."""
    async with Lease(memory.context.graph, memory.settings) as lease:
        await records.begin(memory.context.graph, run)
        await records.save(memory.context.graph, run, lease.owner)
    await totals.add_totals(memory.context.graph, run)


@pytest_asyncio.fixture
async def no_runs_left(driver: AsyncDriver) -> AsyncIterator[None]:
    yield
    await driver.execute_query(
        "MATCH (run:MaintenanceRun) WHERE run.run_id STARTS WITH 'metrics-' DELETE run"
    )


async def test_what_runs_did_is_counted_in_the_database(
    memory: GraphMemory, graph: Graph, group: str, clock: Clock, driver: AsyncDriver
):
    await memory.add_many([{"content": f"memory {n}"} for n in range(5)])
    with scraping(memory) as scrape:
        before = await scrape()
        clock.advance(days=40)
        report = await memory.maintenance.run(groups=[group])
        assert report.transitioned == {"ACTIVE>DORMANT": 5}
        after = await scrape()

    def grew(name: str, **labels: str) -> float:
        key = (name, frozenset(labels.items()))
        return after[key] - before.get(key, 0)

    assert grew("knowledge_decay_maintenance_runs_total", status="success") == 1
    assert grew("knowledge_decay_scores_updated_total") == 5
    dormant = {"from_state": "ACTIVE", "to_state": "DORMANT"}
    assert grew("knowledge_lifecycle_transitions_total", **dormant) == 5
    assert grew("knowledge_memories_by_state", state="DORMANT") == 5
    assert grew("knowledge_maintenance_duration_seconds_count") == 1
    assert grew("knowledge_maintenance_duration_seconds_bucket", le="600.0") == 1
    took = pytest.approx(report.duration_seconds, abs=1e-6)
    assert grew("knowledge_maintenance_duration_seconds_sum") == took
    assert 0 <= value(after, "knowledge_decay_score_avg") <= 1
    within = [value(after, "knowledge_memories_changing_within", days=d) for d in ("0", "365")]
    assert within[0] <= within[1] >= 5


async def test_what_a_policy_by_score_deletes_at_once_counts_as_expired(
    memory: GraphMemory, group: str, clock: Clock
):
    gone = {"decay_policy": "adaptive", "importance": 1, "confidence": 0}
    await memory.add_many([{"content": f"memory {n}", **gone} for n in range(3)])
    clock.advance(hours=1)
    report = await memory.maintenance.run(groups=[group])
    assert report.transitioned == {"ACTIVE>SOFT_DELETED": 3}
    with scraping(memory) as scrape:
        assert value(await scrape(), "knowledge_maintenance_last_expired") == 3


def test_every_metric_is_zero_before_the_first_run_and_backup() -> None:
    read = database_metrics.DatabaseMetrics
    collector = database_metrics.DatabaseMetricsCollector(read, database_metrics.AHEAD_DAYS)
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in collector.collect()
        for sample in family.samples
    }
    assert set(found.values()) == {0}
    for state in ("ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED", "SOFT_DELETED"):
        assert ("knowledge_memories_by_state", state) in found
    transitions = "knowledge_lifecycle_transitions_total"
    assert (transitions, "ACTIVE", "DORMANT") in found
    assert (transitions, "SOFT_DELETED", "PURGED") in found
    for name in ("last_duration_seconds", "last_run_timestamp_seconds", "last_expired"):
        assert (f"knowledge_maintenance_{name}",) in found
    assert ("knowledge_last_backup_timestamp_seconds",) in found


async def test_replicas_and_restarts_tell_the_same_of_the_database(memory: GraphMemory):
    other = GraphMemory.over(
        memory.context.graph, memory.context.embedder, memory.settings, clock=memory.clock
    )
    seen: list[Scrape] = []
    for service in (memory, other):
        with scraping(service) as scrape:
            seen.append(await scrape())
    ours, theirs = (
        {k: v for k, v in found.items() if k[0].startswith("knowledge_")} for found in seen
    )
    assert ours == theirs
    assert len(ours) > 20


async def test_a_memory_whose_state_was_erased_is_counted_as_unknown(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await memory.add("of no state")
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) REMOVE m.lifecycle_state", group=group
    )
    with scraping(memory) as scrape:
        assert value(await scrape(), "knowledge_memories_by_state", state="UNKNOWN") >= 1
    await memory.delete_all(confirm="DELETE ALL", permanent=True)


async def test_a_scrape_does_not_wait_for_a_slow_count(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
):
    scraped = asyncio.Event()

    async def slow(context: Any) -> database_metrics.DatabaseMetrics:
        await scraped.wait()  # a scrape that waited for the count would wait for itself
        return database_metrics.DatabaseMetrics()

    with scraping(memory) as scrape:
        assert await scrape()
        monkeypatch.setattr(database_metrics, "_WAIT_SECONDS", 0.5)
        monkeypatch.setattr(database_metrics, "read_metrics", slow)
        assert ("knowledge_maintenance_paused", frozenset[Any]()) in await scrape()
        scraped.set()


async def test_the_first_scrape_has_the_metrics_however_slow_the_count(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
):
    async def slow(context: Any) -> database_metrics.DatabaseMetrics:
        await asyncio.sleep(1)
        return database_metrics.DatabaseMetrics()

    monkeypatch.setattr(database_metrics, "_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(database_metrics, "_FIRST_WAIT_SECONDS", 60)
    monkeypatch.setattr(database_metrics, "read_metrics", slow)
    with scraping(memory) as scrape:
        assert ("knowledge_maintenance_paused", frozenset[Any]()) in await scrape()


async def test_calls_and_duplicates_are_measured_in_the_process(memory: GraphMemory):
    with scraping(memory) as scrape:
        before = await scrape()
        async with inside(memory) as client:
            await client.call_tool("search_memory", {"query": "x"})
            await client.call_tool("get_memory", {"memory_id": "nowhere"})
        await memory.add("twice")
        with pytest.raises(DuplicateError):
            await memory.add("twice")
        after = await scrape()
    counted = {k: v - before.get(k, 0) for k, v in after.items()}
    name = "graph_memory_tool_seconds_count"
    assert value(counted, name, tool="search_memory", outcome="done") == 1
    assert value(counted, name, tool="get_memory", outcome="not_found") == 1
    assert value(counted, "graph_memory_duplicates_total") == 1


# --- Alerts


def fires(alert: str, before: Scrape, after: Scrape) -> bool:
    """Evaluate a rule over two scrapes an hour apart: as much of PromQL as ours use.

    A selector is the list of its samples, as they are, or with a range by how much they grew. An
    expression that is only compared is true where it is for any of its samples.
    """

    def select(name: str, labels: str, span: str) -> list[float]:
        wanted = set(re.findall(r'(\w+)="([^"]*)"', labels or ""))
        samples = [key for key in after if key[0] == name and wanted <= set(key[1])]
        assert samples, f"{alert}: there is no {name}{labels}"
        return [after[key] - (before.get(key, 0) if span else 0) for key in samples]

    text = SELECTOR.sub(lambda m: repr(select(m[1], m[2] or "", m[3] or "")), expression(alert))
    text = re.sub(r"max\(sum without \(status\)", "(sum", text)
    functions = {
        "max": max,
        "sum": sum,
        "increase": lambda grown: grown,
        "rate": lambda grown: [value / 300 for value in grown],
    }
    text = re.sub(r"^(increase\(.*\)) > 0$", r"max(\1) > 0", text)
    try:
        return bool(eval(text, {"__builtins__": {}}, functions))
    except ZeroDivisionError:  # NaN, which is above nothing
        return False


def expression(alert: str) -> str:
    return " ".join(RULES[alert]["expr"].split())


async def test_each_alert_of_a_run_fires_when_its_condition_is_true(
    memory: GraphMemory, no_runs_left: None
):
    maintenance = (
        "MaintenanceTimeout",
        "MaintenanceFailed",
        "ClassificationDegraded",
        "ExcessiveExpiration",
    )
    with scraping(memory) as scrape:
        begun = await scrape()
        await record(memory, a_run(0, "done", 599, ARCHIVED_to_EXPIRED=100))
        await counters.add(
            memory.context.graph, {"classification:success": 8, "classification:fallback": 2}
        )
        quiet = await scrape()
        assert [alert for alert in maintenance if fires(alert, begun, quiet)] == []
        await record(memory, a_run(1, "failed", 601, ARCHIVED_to_EXPIRED=101))
        await counters.add(memory.context.graph, {"classification:fallback": 3})
        loud = await scrape()
        assert [alert for alert in maintenance if fires(alert, quiet, loud)] == list(maintenance)
        stopped = a_run(2, "stopped", 5)
        stopped.truncated = True
        await record(memory, stopped)
        assert fires("MaintenanceTimeout", loud, await scrape())


async def test_the_alerts_of_the_process_fire(memory: GraphMemory, graph: Graph, group: str):
    with scraping(memory) as scrape:
        before = await scrape()
        assert not fires("AccessesNotCounted", before, before)
        assert not fires("StatementsFail", before | FAILED_NONE, before | FAILED_NONE)
        metrics.access_failures.inc()
        for _ in range(31):
            metrics.statement_seconds.labels("database/graph/ping", "error").observe(0.1)
        after = await scrape()
    assert fires("AccessesNotCounted", before, after)
    assert fires("StatementsFail", before, after)


FAILED_NONE: Scrape = {
    ("graph_memory_statement_seconds_count", frozenset({("outcome", "error"), ("s", "x")})): 0.0
}


async def test_every_metric_that_is_named_exists(memory: GraphMemory):
    with scraping(memory) as scrape:
        found = {name for name, _ in await scrape()} | {"up"}
    panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    for expr in (*(rule["expr"] for rule in RULES.values()), *panels):
        for name in (match[1] for match in SELECTOR.finditer(expr)):
            assert name in found, f"{expr}: there is no {name}"


def test_every_panel_reads_the_data_source_that_is_chosen() -> None:
    (variable,) = DASHBOARD["templating"]["list"]
    assert (variable["type"], variable["query"]) == ("datasource", "prometheus")
    chosen = {"type": "prometheus", "uid": f"${{{variable['name']}}}"}
    assert [panel["datasource"] for panel in DASHBOARD["panels"]] == [chosen] * 14


def test_every_alert_has_a_test_for_promtool():
    tests = yaml.safe_load((CONFIG / "prometheus" / "alerts.test.yml").read_text())["tests"]
    tried = {
        (case["alertname"], bool(case.get("exp_alerts")))
        for test in tests
        for case in test["alert_rule_test"]
    }
    assert tried == {(alert, fires) for alert in RULES for fires in (True, False)}
