"""The first score and state of imported memories whose source has none (by the active policy)."""

import json
import math
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.transfer.demo import GROUP, delete_story, store_story
from graph_memory.transfer.first_states import first_states
from graph_memory.transfer.formats import preview, translate
from graph_memory.transfer.import_export import import_lines
from graph_memory.transfer.line_format import ArchivedMemory
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import look, other, run, states

AGES = (0, 20, 45, 100, 200, 500, 1500)


def stateless(group: str) -> list[str]:
    """Return lines without a state: of all policies, ages and importances, some protected."""
    lines: list[str] = []
    for policy in ("half_life", "adaptive", "typed_importance", "none", None):
        for age in AGES:
            for importance in (1.0, 7.0):
                since = (TODAY - timedelta(days=age)).isoformat()
                line = {
                    "content": f"{policy} {age} {importance} of {group}",
                    "decay_policy": policy,
                    "importance": importance,
                    "created_at": since,
                    "tags": ["pinned"] if age == 1500 and importance > 1 else [],
                    "lifecycle": {"access_count": age % 2, "last_accessed_at": since},
                }
                lines.append(json.dumps(line))
    return lines


@pytest.mark.parametrize("policy", ["half_life", "adaptive"])
async def test_a_missing_state_is_that_of_runs_on_time_and_the_dry_run_foretells_it(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, policy: str
) -> None:
    ruled = other(memory, decay_policy=policy)
    twin = other(memory, decay_policy=policy, group_id=f"{group}_2")
    waiting: list[ArchivedMemory] = []
    assert preview(stateless(group), 1000, waiting).refused == 0
    foretold = await first_states(ruled.settings, waiting, clock.now)
    report = await import_lines(ruled, stateless(group))
    assert (report.stored, report.failed) == (len(AGES) * 10, 0)
    derived = await states(driver, group)
    assert foretold == Counter(derived.values())
    assert len(foretold) == 4

    given = [json.loads(line) for line in stateless(f"{group}_2")]
    for line in given:
        line["lifecycle"] |= {"lifecycle_state": "ACTIVE"}
    await import_lines(twin, map(json.dumps, given))
    for _ in range(3):
        clock.advance(seconds=1)
        await run(twin)
    stepped = await states(driver, f"{group}_2")
    for content, state in stepped.items():
        first = derived[content.replace(f"{group}_2", group)]
        gone = state == "SOFT_DELETED" and "adaptive" in (content.split()[0], policy)
        assert first == ("EXPIRED" if gone else state), content
    await twin.context.graph.run("memories/update/erase_all", group_id=f"{group}_2")


async def test_the_score_of_another_store_is_kept_and_a_missing_one_computed(
    memory: GraphMemory, driver: AsyncDriver, group: str, tmp_path: Path
) -> None:
    ruled = other(memory, decay_policy="adaptive")

    def row(name: str, days: float, **values: Any) -> dict[str, Any]:
        at = (TODAY - timedelta(days=days)).isoformat()
        return {"id": name, "content": name, "type": "fact", "created_at": at, **values}

    shape = {"confidence": 0.8, "decay_rate": 0.01}
    rows = [
        row("both null", 100, importance_score=0.8, state=None, decay_score=None, **shape),
        row("given", 100, importance_score=0.8, state="active", decay_score=0.9, **shape),
        row("state only", 100, importance_score=0.8, state="archived", **shape),
        row("long ago", 500, importance_score=0.01, confidence=0.8),
    ]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"memories": rows}))
    lines = translate("mcp-ai-memory", path, group)
    assert (await import_lines(ruled, lines)).stored == 4
    found = {m["content"]: m for m in await look(driver, group)}
    told = {name: (m["lifecycle_state"], m["decay_score"]) for name, m in found.items()}
    kept = 0.8 * math.exp(-0.01 * 100) * 0.8
    assert told == {
        "both null": ("DORMANT", pytest.approx(1 - kept, abs=1e-6)),
        "given": ("ACTIVE", pytest.approx(0.1)),
        "state only": ("ARCHIVED", pytest.approx(1 - kept, abs=1e-6)),
        "long ago": ("EXPIRED", pytest.approx(1 - 0.1 * math.exp(-5) * 0.8, abs=1e-6)),
    }
    (entry,) = [json.loads(each) for each in found["both null"]["state_history"]]
    assert (entry["from"], entry["to"], entry["reason"]) == ("ACTIVE", "DORMANT", "imported")
    assert (await ruled.lifecycle.forecast(days=1, points=1)).points[0].states["DORMANT"] == 1


async def test_the_stored_scores_of_the_demo_are_those_of_today(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    await delete_story(memory)
    report = await store_story(memory)
    assert (report.stored >= 30, report.failed) == (True, 0)
    found = await look(driver, GROUP)
    for stored in found:
        shown = await memory.get(stored["uuid"], counted=False, group_id=GROUP)
        assert stored["lifecycle_state"] == "ACTIVE"
        assert stored["decay_score"] == pytest.approx(shown.decay_score, abs=1e-6)
    assert max(stored["decay_score"] for stored in found) > 0.9
    await delete_story(memory)
