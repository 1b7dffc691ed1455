"""The decay formulas in Neo4j, number by number, and the instants at which states change."""

import json
import math
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.decay.status import DecayStatus
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphMemoryError, OutsideRecoveryWindowError
from graph_memory.memories import lifecycle
from tests.conftest import TODAY, Clock

VECTORS = json.loads((Path(__file__).parents[2] / "data/decay_vectors.json").read_text())

#: A policy whose score is whatever the memory says, to try the rules of states alone.
GIVEN = """// Fade as the memory says.
// access fragment
{amplitude: 0.0, offset: 1.0 - coalesce(m.given, 0.5), rate: 0.0, places: 6,
 states: 'stepwise', expires: true}
"""

CREATE = """
UNWIND $rows AS row
CREATE (m:Entity:Memory {
  uuid: $group + '-' + row.i, group_id: $group, name: 'vector', content: 'vector ' + row.i,
  content_hash: 'h' + row.i, dedup_key: $group + '-' + row.i, memory_type: 'general', tags: [],
  metadata_json: '{}', importance: 5.0, importance_source: 'user', stability: 3, source: 'user',
  access_count: 0, lifecycle_state: 'ACTIVE', decay_score: 0.0, state_history: [],
  created_at: datetime(row.anchor), updated_at: row.anchor, valid_at: row.anchor
})
SET m += row.properties
"""

Look = Callable[[str], Awaitable[Any]]


@pytest_asyncio.fixture(scope="module")
async def ruled(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[GraphMemory]:
    """A service with a policy of the user's own."""
    folder = tmp_path_factory.mktemp("policies")
    (folder / "given.cypher").write_text(GIVEN)
    own = settings.model_copy(update={"policy_dir": folder})
    async with GraphMemory.open(own) as opened:
        opened.context.clock = Clock()
        yield opened


def before_today(days: float) -> str:
    return instant(TODAY - timedelta(milliseconds=round(days * 86_400_000)))


def configured(memory: GraphMemory, group: str, **settings: Any) -> GraphMemory:
    changed = memory.settings.model_copy(update={"group_id": group, **settings})
    return GraphMemory.over(
        memory.context.graph, memory.context.embedder, changed, clock=memory.clock
    )


async def check(
    model: str,
    memory: GraphMemory,
    driver: AsyncDriver,
    properties: Callable[[dict[str, Any]], dict[str, Any]],
    look: Callable[[GraphMemory, str], Awaitable[Any]],
    anchor: Callable[[dict[str, Any]], str] = lambda inputs: before_today(inputs.get("days", 0)),
    expected: Callable[[Any], Any] = lambda value: value,
    vectors: list[dict[str, Any]] | None = None,
) -> None:
    """Make a memory of each vector of a model, look at it, and compare."""
    chosen = vectors or [vector for vector in VECTORS if vector["model"] == model]
    assert chosen
    group = memory.settings.group_id
    rows = [
        {"i": str(i), "anchor": anchor(v["inputs"]), "properties": properties(v["inputs"])}
        for i, v in enumerate(chosen)
    ]
    await driver.execute_query(CREATE, rows=rows, group=group)
    for i, vector in enumerate(chosen):
        seen = await look(memory, f"{group}-{i}")
        assert seen == approximately(expected(vector["expected"])), vector


def approximately(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: approximately(item) for key, item in value.items()}
    return pytest.approx(value, abs=1e-6) if isinstance(value, float) else value


async def status(memory: GraphMemory, memory_id: str) -> DecayStatus:
    return await memory.lifecycle.status(memory_id)


async def score(memory: GraphMemory, memory_id: str) -> float:
    return (await status(memory, memory_id)).decay_score


async def test_protection(ruled: GraphMemory, driver: AsyncDriver, group: str) -> None:
    async def look(memory: GraphMemory, memory_id: str) -> Any:
        return (await status(memory, memory_id)).protection

    def properties(inputs: dict[str, Any]) -> dict[str, Any]:
        given = {key: inputs[key] for key in ("tags", "importance", "stability")}
        if inputs.get("until_day") is not None:
            ahead = inputs["until_day"] - inputs["now_day"]
            given["preserve_until"] = before_today(-ahead)
        return given

    await check("preservation", configured(ruled, group), driver, properties, look)


async def test_half_lives(ruled: GraphMemory, driver: AsyncDriver, group: str) -> None:
    def properties(inputs: dict[str, Any]) -> dict[str, Any]:
        five = inputs.get("importance_5")
        return {"stability": inputs["stability"], "importance": 2.0 * (five or 1)}

    for base in {v["inputs"].get("base_half_life", 30.0) for v in VECTORS}:
        same = [
            v
            for v in VECTORS
            if v["model"] == "half_life" and v["inputs"].get("base_half_life", 30.0) == base
        ]
        if same:
            memory = configured(ruled, f"{group}_{base:.0f}", half_life_base_days=base)
            await check("half_life", memory, driver, properties, score, vectors=same)
    table = configured(ruled, f"{group}_table", half_life_curve="table")
    await check("half_life_table", table, driver, properties, score)


async def test_adaptive(ruled: GraphMemory, driver: AsyncDriver, group: str) -> None:
    async def look(memory: GraphMemory, memory_id: str) -> Any:
        now = await status(memory, memory_id)
        state = now.next_state if now.next_at == TODAY else now.state
        if state == "SOFT_DELETED":  # a run deletes at once what expires by score
            state = "EXPIRED"
        return {"retention": now.retention, "decay_score": now.decay_score, "state": state}

    def properties(inputs: dict[str, Any]) -> dict[str, Any]:
        return {
            "importance": inputs["importance_unit"] * 10,
            "decay_policy": "adaptive",
            "tags": ["core"] if inputs.get("preserved") else [],
            **{
                key: inputs[key]
                for key in ("access_count", "confidence", "decay_rate")
                if key in inputs
            },
        }

    vectors = [v for v in VECTORS if v["model"] == "adaptive"]
    plain = [v for v in vectors if "degree" not in v["inputs"]]
    await check("", configured(ruled, group), driver, properties, look, vectors=plain)
    related = [v for v in vectors if "degree" in v["inputs"]]
    boost = related[0]["inputs"]["degree_boost"]
    assert all(v["inputs"]["degree_boost"] == boost for v in related)
    memory = configured(ruled, f"{group}_degree", adaptive_degree_boost=boost)

    async def relate_and_look(memory: GraphMemory, memory_id: str) -> Any:
        degree = related[int(memory_id.rsplit("-", 1)[1])]["inputs"]["degree"]
        neighbours = [{"content": f"neighbour {i} of {memory_id}"} for i in range(degree)]
        for neighbour in await memory.add_many(neighbours):
            await memory.relations.add(memory_id, neighbour.memory_id or "")
        return await look(memory, memory_id)

    await check("", memory, driver, properties, relate_and_look, vectors=related)


async def test_the_next_state(ruled: GraphMemory, driver: AsyncDriver, group: str) -> None:
    async def look(memory: GraphMemory, memory_id: str) -> Any:
        now = await status(memory, memory_id)
        return now.next_state if now.next_at and now.next_at <= TODAY else now.state

    def properties(inputs: dict[str, Any]) -> dict[str, Any]:
        deleted = inputs.get("soft_deleted_days")
        return {
            "lifecycle_state": inputs["state"],
            "importance": inputs["importance"],
            "decay_policy": "given",
            "given": inputs["decay_score"],
            "tags": ["core"] if inputs.get("protected") else [],
            **({} if deleted is None else {"soft_deleted_at": before_today(deleted)}),
        }

    await check(
        "next_state",
        configured(ruled, group),
        driver,
        properties,
        look,
        anchor=lambda inputs: before_today(inputs["idle_days"]),
    )


async def test_retention_elapsed_days_and_what_they_count_from(
    ruled: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    async def retention(memory: GraphMemory, memory_id: str) -> float:
        return (await status(memory, memory_id)).retention

    await check(
        "retention",
        configured(ruled, group),
        driver,
        lambda inputs: {"decay_policy": "given", "given": inputs["decay_score"]},
        retention,
    )
    elapsed = [v for v in VECTORS if v["model"] == "elapsed_days"]
    rows = [
        {
            "i": str(i),
            "anchor": instant(datetime.fromisoformat(v["inputs"]["start"])),
            "properties": {},
        }
        for i, v in enumerate(elapsed)
    ]
    spans = configured(ruled, f"{group}_spans")
    await driver.execute_query(CREATE, rows=rows, group=f"{group}_spans")
    for i, vector in enumerate(elapsed):
        spans.context.clock = Clock(datetime.fromisoformat(vector["inputs"]["end"]).astimezone(UTC))
        seen = await status(spans, f"{group}_spans-{i}")
        assert seen.terms["idle_days"] == approximately(vector["expected"]), vector

    async def source(memory: GraphMemory, memory_id: str) -> str:
        return (await status(memory, memory_id)).idle_from.date().isoformat()

    def dated(inputs: dict[str, Any]) -> dict[str, Any]:
        days = {key: f"{day}T00:00:00.000Z" for key, day in inputs.items() if day is not None}
        return {"updated_at": None, **days, "created_at": TODAY.replace(month=1, day=1, hour=0)}

    await check("effective_access", configured(ruled, f"{group}_from"), driver, dated, source)


async def test_typed_importance_and_its_access(
    ruled: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    def properties(inputs: dict[str, Any]) -> dict[str, Any]:
        return {
            "decay_policy": "typed_importance",
            "importance": inputs["importance"],
            "memory_type": inputs["memory_type"],
            "tags": ["core"] if inputs.get("protected") else [],
            "reinforcement_pending": inputs.get("pending_hits", 0),
        }

    def anchor(inputs: dict[str, Any]) -> str:
        return before_today(inputs["days_idle"])

    async def faded(memory: GraphMemory, memory_id: str) -> Any:
        before = await status(memory, memory_id)
        await memory.touch(memory_id)
        after = await memory.get(memory_id, counted=False)
        stored, given = after.importance, before.terms["importance"]
        return {
            "effective": before.terms["effective_importance"],
            "write_back": stored != given,
            "stored": stored,
            "decay_score": before.decay_score,
        }

    await check("typed_decay", configured(ruled, group), driver, properties, faded, anchor=anchor)

    async def accessed(memory: GraphMemory, memory_id: str) -> Any:
        await memory.touch(memory_id)
        records, _, _ = await driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) RETURN m.importance AS importance, "
            "m.reinforcement_pending AS pending_hits",
            id=memory_id,
        )
        return records[0].data()

    await check(
        "typed_access",
        configured(ruled, f"{group}_access"),
        driver,
        properties,
        accessed,
        anchor=anchor,
        expected=lambda value: {key: value[key] for key in ("importance", "pending_hits")},
    )


async def test_an_access_wakes_and_recomputes(
    ruled: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    async def touched(memory: GraphMemory, memory_id: str) -> Any:
        try:
            await memory.touch(memory_id)
        except GraphMemoryError:
            return "SOFT_DELETED"
        return (await status(memory, memory_id)).state

    await check(
        "state_after_access",
        configured(ruled, group),
        driver,
        lambda inputs: {
            "lifecycle_state": inputs["state"],
            "soft_deleted_at": before_today(1) if inputs["state"] == "SOFT_DELETED" else None,
        },
        touched,
    )

    async def recomputed(memory: GraphMemory, memory_id: str) -> Any:
        await memory.touch(memory_id)
        now = await status(memory, memory_id)
        return {"retention": now.retention, "decay_score": now.decay_score, "state": now.state}

    await check(
        "adaptive_after_access",
        configured(ruled, f"{group}_adaptive"),
        driver,
        lambda inputs: {
            "decay_policy": "adaptive",
            "importance": inputs["importance_unit"] * 10,
            "access_count": inputs["access_count"],
            "confidence": inputs.get("confidence"),
        },
        recomputed,
        anchor=lambda inputs: before_today(100),
    )


async def test_the_window_of_recovery(ruled: GraphMemory, driver: AsyncDriver, group: str) -> None:
    async def recovered(memory: GraphMemory, memory_id: str) -> bool:
        try:
            return (await memory.lifecycle.recover(memory_id)).lifecycle_state == "ACTIVE"
        except OutsideRecoveryWindowError:
            return False

    await check(
        "can_recover",
        configured(ruled, group),
        driver,
        lambda inputs: {
            "lifecycle_state": "SOFT_DELETED",
            "dedup_key": None,
            "soft_deleted_at": before_today(inputs["soft_deleted_days"]),
        },
        recovered,
    )


async def test_the_confidence_scan(ruled: GraphMemory, driver: AsyncDriver, group: str) -> None:
    async def scanned(memory: GraphMemory, memory_id: str) -> Any:
        (action,) = (await memory.lifecycle.scan_confidence([memory_id])).actions
        told = {"kind": action.kind, "reason": action.reason}
        if action.kind == "decay":
            told = {
                "kind": "decay",
                "delta": action.delta,
                "proposed_confidence": action.proposed_confidence,
            }
        return told

    await check(
        "usage_confidence",
        configured(ruled, group),
        driver,
        lambda inputs: {
            key: inputs[key]
            for key in ("confidence", "access_count", "importance", "tags")
            if key in inputs
        },
        scanned,
        anchor=lambda inputs: before_today(inputs["age_days"]),
    )
    assert math.isclose(ruled.settings.confidence_floor, 0.3)


@pytest.mark.parametrize("state", ["ARCHIVED", "EXPIRED"])
async def test_a_memory_whose_policy_is_not_known_here_keeps_its_score_and_state(
    ruled: GraphMemory, memory: GraphMemory, driver: AsyncDriver, group: str, state: str
) -> None:
    """As where cron runs without the folder of policies that the server has."""
    properties = {
        "decay_policy": "given",
        "given": 0.95,
        "lifecycle_state": state,
        "decay_score": 0.25,
        "next_due_at": before_today(1),
    }
    row = {"i": "0", "anchor": before_today(400), "properties": properties}
    await driver.execute_query(CREATE, rows=[row], group=group)

    report = await memory.maintenance.run(groups=[group], full=True)
    assert (report.errors, report.transitioned) == (0, {})
    now = await status(memory, f"{group}-0")
    assert (now.decay_score, now.state, now.next_state) == (0.25, state, None)
    found = (await verify(memory.context.graph, memory.settings))[group]
    assert any("decay_policy is not known" in problem.problem for problem in found)
    known = await verify(ruled.context.graph, ruled.settings)
    assert not any("decay_policy" in problem.problem for problem in known[group])

    memory.context.clock.advance(seconds=1)  # type: ignore[attr-defined]
    again = configured(ruled, group)
    again.context.clock = memory.context.clock
    assert (await again.maintenance.run(groups=[group])).transitioned
    assert (await status(again, f"{group}-0")).decay_score == 0.95


async def test_a_score_that_cannot_be_computed_stays_as_it_was(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    row = {
        "i": "0",
        "anchor": before_today(10),
        "properties": {"stability": None, "decay_score": 0.125},
    }
    await driver.execute_query(CREATE, rows=[row], group=group)
    await memory.maintenance.run(groups=[group], full=True)
    assert await score(memory, f"{group}-0") == 0.125


MEMORIES = st.fixed_dictionaries(
    {
        "decay_policy": st.sampled_from(["half_life", "adaptive", "typed_importance", "none"]),
        "lifecycle_state": st.sampled_from(["ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED"]),
        "importance": st.floats(1, 10).map(lambda value: round(value, 3)),
        "stability": st.integers(1, 5),
        "confidence": st.none() | st.floats(0, 1).map(lambda value: round(value, 3)),
        "decay_rate": st.none() | st.floats(0, 2).map(lambda value: round(value, 6)),
        "access_count": st.integers(0, 30),
        "memory_type": st.sampled_from(["fact", "task", "ephemeral", "context"]),
        "tags": st.sampled_from([[], ["Core"], ["preserved"]]),
        "preserve_until": st.none() | st.integers(-50, 400).map(lambda days: before_today(-days)),
        "last_accessed_at": st.none() | st.floats(-10, 800).map(before_today),
    }
)


@given(given_memories=st.lists(MEMORIES, min_size=40, max_size=40))
@hypothesis_settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_nothing_changes_before_a_memory_is_due_and_something_does_then(
    ruled: GraphMemory, driver: AsyncDriver, given_memories: list[dict[str, Any]]
) -> None:
    group = f"test_{secrets.token_hex(8)}"
    memory = configured(ruled, group)
    rows = [
        {"i": str(i), "anchor": before_today(100 + i), "properties": properties}
        for i, properties in enumerate(given_memories)
    ]
    await driver.execute_query(CREATE, rows=rows, group=group)

    async def at(memory_id: str, now: datetime) -> DecayStatus:
        return await lifecycle.status(memory.context.engine, CallScope(group, now), memory_id)

    for i, properties in enumerate(given_memories):
        now = await at(f"{group}-{i}", TODAY)
        if now.next_at is None:
            later = await at(f"{group}-{i}", TODAY + timedelta(days=36_500))
            assert later.next_at is None, properties
        elif now.next_at > TODAY:
            before = await at(f"{group}-{i}", now.next_at - timedelta(milliseconds=1))
            assert before.next_at == now.next_at, properties
            assert (before.state, before.protection) == (now.state, now.protection), properties
            then = await at(f"{group}-{i}", now.next_at)
            assert then.next_at == now.next_at, properties
            assert (then.next_state, then.protection) != (None, now.protection), properties


async def test_a_run_moves_by_score_when_it_was_foreseen_however_fine_the_policy(
    memory: GraphMemory, clock: Clock, group: str, tmp_path: Path
) -> None:
    (tmp_path / "fine.cypher").write_text(
        "// Fade slowly.\n// access fragment\n{amplitude: 1.0, offset: 0.0, rate: 0.0001, "
        "places: 9, states: 'by_score', expires: true}\n"
    )
    own = memory.settings.model_copy(update={"policy_dir": tmp_path, "decay_policy": "fine"})
    async with GraphMemory.open(own) as fine:
        fine.context.clock = clock
        stored = await fine.add("fades slowly")
        foreseen = (await fine.lifecycle.status(stored.memory_id)).next_at
        assert foreseen is not None
        clock.now = foreseen
        await fine.maintenance.run(groups=(group,))
        assert (await fine.lifecycle.status(stored.memory_id)).state == "DORMANT"
