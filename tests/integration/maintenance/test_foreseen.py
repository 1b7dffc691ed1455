"""Status, forecast, dry run and gauge give the changes of state that runs make."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.decay.status import DecayStatus
from graph_memory.errors import NotFoundError
from graph_memory.maintenance.totals import count_expired
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import look, other, run

POLICIES = ("half_life", "adaptive", "typed_importance", "none")
ALIVE = ("ACTIVE", "DORMANT", "ARCHIVED")

#: Settings under which a policy takes several steps at once, or further ones.
RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "two steps at once": {"adaptive_active_threshold": 0.1, "soft_delete_retention_days": 9.0},
    "to the end": {"typed_expires": True, "obsolete_retention_days": 20.0},
}


async def fill_all_kinds(memory: GraphMemory) -> list[str]:
    """Store memories of all policies: some fresh, idle, protected for a time, or obsolete."""
    kinds = [
        {
            "content": f"{policy} {importance} {confidence}",
            "decay_policy": policy,
            "importance": importance,
            "confidence": confidence,
            "created_at": TODAY - timedelta(days=number * 11),
        }
        for number, (policy, importance, confidence) in enumerate(
            product(POLICIES, (1.0, 5.9, 9.0), (None, 0.0, 0.5))
        )
    ]
    stored = [str(outcome.memory_id) for outcome in await memory.add_many(kinds)]
    for number, memory_id in enumerate(stored):
        if number % 9 == 7:
            until = TODAY + timedelta(days=number)
            await memory.lifecycle.preserve(memory_id, until=until)
        if number % 9 == 8:
            await memory.lifecycle.mark_obsolete(memory_id, "a test")
    return stored


async def foreseen(memory: GraphMemory, ids: list[str]) -> dict[str, DecayStatus]:
    found: dict[str, DecayStatus] = {}
    for memory_id in ids:
        with suppress(NotFoundError):  # purged
            found[memory_id] = await memory.lifecycle.status(memory_id)
    return found


@pytest.mark.parametrize("rules", RULES)
async def test_every_change_of_two_years_is_foreseen(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, rules: str
) -> None:
    ruled = other(memory, **RULES[rules])
    ids = await fill_all_kinds(ruled)
    ahead = await foreseen(ruled, ids)
    forecast = await ruled.lifecycle.forecast(days=730)
    states = {m["uuid"]: m["lifecycle_state"] for m in await look(driver, group)}
    seen, expired = Counter[str](), 0
    while True:
        due = [status.next_at for status in ahead.values() if status.next_at is not None]
        clock.now = max(clock.now + timedelta(milliseconds=1), min(due, default=TODAY))
        if not due or clock.now > TODAY + timedelta(days=730):
            break
        told = await ruled.maintenance.dry_run(groups=[group])
        done = await run(ruled)
        assert (told.transitioned, told.purged) == (done.transitioned, done.purged)
        now = {m["uuid"]: m["lifecycle_state"] for m in await look(driver, group)}
        passed = [i for i, state in now.items() if state not in ALIVE and states[i] in ALIVE]
        assert count_expired(done.transitioned) == len(passed)
        expired += len(passed)
        for memory_id, status in ahead.items():
            is_due = status.next_at is not None and status.next_at <= clock.now
            becomes = status.next_state if is_due and status.next_state else status.state
            assert now.get(memory_id, "PURGED") == becomes, status
        seen.update(done.transitioned)
        seen["SOFT_DELETED>PURGED"] += done.purged
        states = now
        moved = [i for i, s in ahead.items() if s.next_at and s.next_at <= clock.now]
        ahead = {i: s for i, s in ahead.items() if i not in moved}
        ahead |= await foreseen(ruled, moved)
    assert expired
    assert dict(forecast.transitions) == dict(sorted((+seen).items()))
