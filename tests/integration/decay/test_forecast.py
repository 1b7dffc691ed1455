"""What will be forgotten when, and that asking changes nothing."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.reporting.plots import plot_forecast
from tests.conftest import TODAY
from tests.support.mcp_client import call, inside

WHOLE = """
MATCH (m:Memory {group_id: $group}) OPTIONAL MATCH (m)-[r]-()
RETURN m.uuid AS id, properties(m) AS properties, count(r) AS relations ORDER BY id
"""


async def test_the_year_of_a_group(memory: GraphMemory, driver: AsyncDriver) -> None:
    fades = await memory.add("the market is on Tuesdays", importance=5)
    await memory.add("the bread is for Ada", importance=6)  # 3 of 5 never expires
    await memory.add("Ada is allergic to nuts", importance=9, stability=5)
    deleted = await memory.add("a slip of the tongue")
    await memory.delete(deleted.memory_id)
    group = memory.settings.group_id
    before = (await driver.execute_query(WHOLE, group=group)).records

    told = await memory.lifecycle.forecast()

    assert (await driver.execute_query(WHOLE, group=group)).records == before
    assert [sum(point.states.values()) for point in told.points] == [4] * 13
    assert told.points[0].at == TODAY
    assert told.points[0].states["ACTIVE"] == 3
    last = {state: count for state, count in told.points[-1].states.items() if count}
    assert last == {"ACTIVE": 1, "ARCHIVED": 1, "PURGED": 2}
    assert told.transitions == {
        "ACTIVE>DORMANT": 2,
        "ARCHIVED>EXPIRED": 1,
        "DORMANT>ARCHIVED": 2,
        "EXPIRED>SOFT_DELETED": 1,
        "SOFT_DELETED>PURGED": 2,
    }
    (lost,) = told.first_lost
    assert (lost.memory_id, lost.lead) == (fades.memory_id, "the market is on Tuesdays")
    status = await memory.lifecycle.status(fades.memory_id)
    assert status.next_at is not None
    assert status.next_at < lost.lost_at


@pytest.mark.parametrize("number", [90, 90.0, "90", " 90 "], ids=lambda value: type(value).__name__)
async def test_a_number_is_assumed_as_a_number_or_as_text(
    memory: GraphMemory, group: str, number: object
) -> None:
    await memory.add("the market is on Tuesdays")
    slower = {"half_life_base_days": number}
    assert (await memory.lifecycle.forecast(days=60, numbers=slower)).transitions == {}
    report = await memory.maintenance.dry_run(
        now="2026-08-01", groups=[group], numbers=slower, full=True
    )
    assert report.transitioned == {}
    async with inside(memory) as client:
        told = await call(client, "memory_forecast", days=60, numbers=slower)
        assert told["transitions"] == {}


async def test_numbers_are_an_object_of_values_in_their_range(memory: GraphMemory) -> None:
    for numbers, said in (
        ([1], r"^numbers=\[1\] is not allowed: it must be an object"),
        ({"half_life_base_days": -1}, r"^numbers=\{'half_life_base_days': -1\} .* 0.001"),
        ({"half_life_base_days": [1]}, "valid number"),
    ):
        given: Any = numbers
        with pytest.raises(InvalidArgumentError, match=said):
            await memory.lifecycle.forecast(numbers=given)
        with pytest.raises(InvalidArgumentError, match=said):
            await memory.maintenance.dry_run(numbers=given)


async def test_another_policy_can_be_supposed(memory: GraphMemory, tmp_path: Path) -> None:
    await memory.add("the market is on Tuesdays")
    usual = await memory.lifecycle.forecast(days=60)
    assert usual.transitions == {"ACTIVE>DORMANT": 1}
    assert (await memory.lifecycle.forecast(days=60, policy="none")).transitions == {}
    slower = await memory.lifecycle.forecast(days=60, numbers={"HALF_LIFE_BASE_DAYS": "90"})
    assert slower.transitions == {}
    assert slower.rules != usual.rules
    (tmp_path / "quick.cypher").write_text(
        "// Fade within days.\n// access fragment\n{amplitude: 1.0, offset: 0.0, rate: 1.0, "
        "places: 3, states: 'by_score', expires: true}\n"
    )
    (tmp_path / "beside.cypher").write_text("no policy, and none that is read")
    quick = await memory.lifecycle.forecast(days=5, points=5, policy=str(tmp_path / "quick.cypher"))
    assert quick.policy == "quick"
    assert quick.points[1].states["DORMANT"] == 1
    assert quick.points[5].states["SOFT_DELETED"] == 1


async def test_what_cannot_be_supposed_is_refused(memory: GraphMemory) -> None:
    for given, said in (
        ({"numbers": {"policy_dir": "/"}}, "not a decay setting"),
        ({"numbers": {"half_life_base_days": "-1"}}, "half_life_base_days"),
        ({"policy": "quick"}, "choose from adaptive"),
        ({"policy": "/nowhere.cypher"}, "there is no such file"),
        ({"days": 0}, "days"),
        ({"points": 1000}, "points"),
        ({"now": "yesterday"}, "now"),
    ):
        with pytest.raises(InvalidArgumentError, match=said):
            await memory.lifecycle.forecast(**given)  # type: ignore[arg-type]


async def test_what_holds_when_a_date_has_passed_is_foreseen(memory: GraphMemory) -> None:
    lasting = await memory.add("the flat is rented", tags=["permanent"])
    settings = memory.settings.model_copy(update={"obsolete_retention_days": 5.0})
    strict = GraphMemory.over(memory.context.graph, memory.context.embedder, settings, memory.clock)
    old = await strict.add("the office is in Rome")
    until = TODAY + timedelta(days=10)
    for stored in (lasting, old):
        await strict.lifecycle.preserve(stored.memory_id, until=until)
    await strict.lifecycle.mark_obsolete(old.memory_id, "it moved")
    told = await strict.lifecycle.forecast(days=700)
    assert [(lost.memory_id, lost.lost_at) for lost in told.first_lost] == [
        (old.memory_id, until + timedelta(milliseconds=1))
    ]
    assert told.transitions == {"EXPIRED>SOFT_DELETED": 1, "SOFT_DELETED>PURGED": 1}


async def test_a_forecast_is_drawn(memory: GraphMemory, tmp_path: Path) -> None:
    await memory.add("the market is on Tuesdays")
    told = await memory.lifecycle.forecast(now=TODAY + timedelta(days=1))
    for name, start in (("year.svg", b"<?xml"), ("year.png", b"\x89PNG")):
        plot_forecast(told, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    with pytest.raises(InvalidArgumentError, match=r"\.png, \.svg, \.pdf"):
        plot_forecast(told, tmp_path / "year.txt")
