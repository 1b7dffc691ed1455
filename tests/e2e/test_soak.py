"""Half a minute of mixed load: no error, nothing lost, no descriptor left open."""

import os
from pathlib import Path

import pytest
from neo4j import AsyncDriver

from graph_memory import Settings
from tests.benchmarks.against_commit import GROUP
from tests.benchmarks.soak import (
    Bars,
    Called,
    Load,
    Sample,
    Soak,
    latencies,
    missed,
    report,
    slope_a_minute,
    soaked,
    table,
)

_ERASE = "MATCH (n {group_id: $group}) DETACH DELETE n"
_LOAD = Load(
    minutes=0.2,
    readers=3,
    writers=2,
    writer_pause=0.1,
    least_calls=20,
    maintain_seconds=6,
    backup_seconds=9,
    token_seconds=6,
)


@pytest.mark.usefixtures("no_tokens", "graph")
async def test_a_server_under_mixed_load_answers_all_and_loses_nothing(
    settings: Settings, driver: AsyncDriver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {
        **os.environ,
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_DATA_DIR": str(tmp_path),
        "GRAPH_MEMORY_BACKUP_AUTO": "false",
    }
    try:
        soak, missing = soaked(environment, _LOAD)
    finally:
        await driver.execute_query(_ERASE, group=GROUP)
    assert [each for each in soak.calls if each.error] == []
    assert missing == []
    assert len(soak.acknowledged) > 5
    assert {each.operation for each in soak.calls} >= {
        "search_memory",
        "retrieve_memories",
        "list_memories",
        "add_memory",
        "add_memories",
        "update_memory",
        "maintain",
        "backup",
        "tokens",
    }
    half = len(soak.samples) // 2
    early, late = (
        max(each.descriptors for each in part)
        for part in (soak.samples[: half + 1], soak.samples[half:])
    )
    assert late <= early + 10
    easy = Bars(latency=100, mebibytes_a_minute=10_000, descriptors_a_minute=10_000)
    assert report(soak, missing, easy) == 0
    assert "search_memory" in capsys.readouterr().out


def soak_of(calls: list[Called], samples: list[Sample]) -> Soak:
    return Soak(1, "", 1, {}, Load(minutes=6), calls, samples)


def test_a_bar_that_is_missed_is_named() -> None:
    calls = [Called("search_memory", at, 0.1 if at < 60 else 0.2) for at in range(360)]
    samples = [Sample(at, 100 + at / 20, 30 + at) for at in range(360)]
    soak = soak_of([*calls, Called("backup", 1, 2, "it failed")], samples)
    assert missed(soak, Bars()) == [
        "backup: 1 errors",
        "the p95 of searches rose to 2.00 times",
        "the memory grows by 3.00 MiB a minute",
        "the descriptors grow by 60.00 a minute",
    ]
    assert report(soak, [], Bars()) == 1
    assert "it failed" in table(soak)


def test_what_stays_flat_misses_nothing() -> None:
    calls = [Called("search_memory", at, 0.1) for at in range(360)]
    soak = soak_of(calls, [Sample(at, 100, 30) for at in range(360)])
    assert missed(soak, Bars()) == []
    assert report(soak, [], Bars()) == 0
    assert report(soak, ["a missing id"], Bars()) == 1
    ((name, count, errors, times),) = latencies(soak)
    assert (name, count, errors) == ("search_memory", 360, 0)
    assert times == pytest.approx([100.0] * 4)
    assert slope_a_minute([], lambda each: each.mebibytes) == 0
