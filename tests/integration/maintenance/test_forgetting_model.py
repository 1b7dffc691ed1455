"""Histories of memories that are used, kept, deleted, let fade and brought back, beside a model."""

import copy
import math
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from graph_memory.domain.timestamps import instant
from graph_memory.errors import (
    GraphMemoryError,
    NotFoundError,
    NotSoftDeletedError,
    OutsideRecoveryWindowError,
)
from graph_memory.inference.embedder import Embedder
from graph_memory.settings.base import Settings
from tests.conftest import TODAY, Clock

DAY = timedelta(days=1)
TYPED_DAYS = {"fact": 120.0, "task": 30.0, "ephemeral": 10.0}
TYPED_FLOORS = {"fact": 3.0, "task": 1.0, "ephemeral": 1.0}
RESTORED = ("state", "state_changed", "until", "unprotected", "obsolete", "deleted", "purged")
NEXT = {"ACTIVE": "DORMANT", "DORMANT": "ARCHIVED", "ARCHIVED": "EXPIRED"}
STEPS = {"ACTIVE": (30, 0.3), "DORMANT": (90, 0.6), "ARCHIVED": (180, 0.9)}

KINDS = st.fixed_dictionaries(
    {
        "decay_policy": st.sampled_from(["half_life", "adaptive", "typed_importance", "none"]),
        "importance": st.sampled_from([1.0, 3.0, 5.0, 5.9, 6.0, 7.9, 8.0, 10.0]),
        "stability": st.integers(1, 5),
        "memory_type": st.sampled_from(list(TYPED_DAYS)),
        "confidence": st.sampled_from([None, 0.0, 0.4, 1.0]),
        "tags": st.sampled_from([[], [], [], ["Pinned"]]),
    }
)
WHICH = st.integers(0, 2)
ACTS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0.5, 9, 29, 31, 61, 91, 181, 400])),
    st.tuples(st.sampled_from(["access", "release", "obsolete", "delete", "recover"]), WHICH),
    st.tuples(st.just("preserve"), WHICH, st.sampled_from([None, 1, 40, 200])),
    st.tuples(st.just("reweigh"), WHICH, st.sampled_from([1.0, 5.0, 9.0])),
    st.tuples(st.just("maintain")),
    st.tuples(st.just("maintain")),
    st.tuples(st.just("undo")),
)


@dataclass
class Told:
    """A memory as the rules say it is."""

    decay_policy: str
    importance: float
    stability: int
    memory_type: str
    confidence: float | None
    tags: list[str]
    changed: datetime
    accessed: datetime | None = None
    accesses: int = 0
    pending: int = 0
    state: str = "ACTIVE"
    state_changed: datetime = TODAY
    until: datetime | None = None
    unprotected: datetime | None = None
    obsolete: datetime | None = None
    deleted: datetime | None = None
    purged: bool = False
    held: datetime | None = None

    def protection(self, now: datetime) -> str | None:
        if self.until is not None and now <= self.until:
            return "until"
        kept = {tag.lower() for tag in self.tags} & {"pinned", "preserved"}
        if self.until is not None:
            kept -= {"preserved"}
        if kept:
            return "tag"
        return "permanent" if self.importance >= 8 and self.stability >= 4 else None

    def days(self, now: datetime) -> float:
        used = self.accessed or self.changed
        ended = self.until if self.until is not None and self.until < now else self.unprotected
        return max(0.0, (now - max(used, ended or used)) / DAY)

    def score(self, now: datetime) -> float:
        days, trust = self.days(now), 1.0 if self.confidence is None else self.confidence
        if self.protection(now) or self.decay_policy == "none":
            return 0.0
        if self.decay_policy == "half_life":
            five = min(5.0, max(1.0, self.importance / 2))
            rate = math.log(2) / (30 * self.stability / 3) * (6 - five) / 5
            return round(1 - math.exp(-rate * days), 3)
        if self.decay_policy == "adaptive":
            kept = self.importance / 10 * math.exp(-0.01 * days) + math.log1p(self.accesses) * 0.1
            return round(1 - min(1.0, kept * trust), 6)
        return round(1 - 0.5 ** (days / TYPED_DAYS[self.memory_type]), 6)

    def by_score(self, now: datetime) -> str:
        kept = round(1 - self.score(now), 6)
        return next(
            (s for s, t in (("ACTIVE", 0.5), ("DORMANT", 0.1), ("ARCHIVED", 0.01)) if kept >= t),
            "EXPIRED",
        )

    def enter(self, state: str, now: datetime) -> None:
        if state != self.state:
            self.state_changed, self.state = now, state
            self.deleted = now if state == "SOFT_DELETED" else None

    def wake(self, now: datetime) -> None:
        self.enter(self.by_score(now) if self.decay_policy == "adaptive" else "ACTIVE", now)

    def access(self, now: datetime) -> None:
        self.accesses += 1
        if self.decay_policy == "typed_importance":
            self.reinforce(now)
        self.accessed = now
        if self.state != "EXPIRED":
            self.wake(now)

    def reinforce(self, now: datetime) -> None:
        floor = min(TYPED_FLOORS[self.memory_type], self.importance)
        left = self.importance * 0.5 ** (self.days(now) / TYPED_DAYS[self.memory_type])
        worn = self.importance if self.protection(now) else round(max(floor, left), 6)
        if round(self.importance - worn, 6) >= 0.5:
            self.importance = worn
        self.pending += 1
        if self.pending >= 5:
            self.importance = round(min(10.0, self.importance + self.pending * 0.1), 6)
            self.pending = 0

    def step(self, now: datetime) -> None:
        """Do what one run does."""
        if self.held is not None and now < self.held:
            return
        if self.state == "SOFT_DELETED":
            assert self.deleted is not None
            self.purged = now - self.deleted > 90 * DAY
            return
        if self.until is not None and self.until < now:
            self.tags = [t for t in self.tags if t != "preserved"]
            self.unprotected, self.until = self.until, None
        if self.obsolete is not None:
            return
        if self.protection(now):
            self.enter("ACTIVE", now)
        elif self.decay_policy == "adaptive":
            state = self.by_score(now)
            self.enter("SOFT_DELETED" if state == "EXPIRED" else state, now)
        elif self.decay_policy != "none":
            self.step_down(now)

    def step_down(self, now: datetime) -> None:
        if self.state == "EXPIRED":
            self.enter("SOFT_DELETED", now)
            return
        days, score = STEPS[self.state]
        stays = self.state == "ARCHIVED" and (
            self.importance >= 6 or self.decay_policy == "typed_importance"
        )
        if self.days(now) > days and self.score(now) > score and not stays:
            self.enter(NEXT[self.state], now)

    def seen(self) -> tuple[Any, ...]:
        times = self.state_changed, self.until, self.obsolete
        return (self.state, *times, tuple(self.tags), self.confidence)


@dataclass
class World:
    """The service and the model of it, side by side."""

    memory: GraphMemory
    driver: AsyncDriver
    clock: Clock
    group: str
    ids: list[str]
    told: list[Told]
    runs: list[tuple[str, list[Told], list[Told]]] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        return self.clock.now

    async def do(self, act: tuple[Any, ...]) -> None:
        self.clock.advance(hours=1)
        name, *arguments = act
        if name in ("wait", "maintain", "undo"):
            await getattr(self, name)(*arguments)
            return
        which, *rest = arguments
        told = self.told[which]
        try:
            await getattr(self, name)(self.ids[which], told, *rest)
        except NotFoundError:
            assert told.purged or (told.state == "SOFT_DELETED" and name != "recover")

    async def wait(self, days: float) -> None:
        self.clock.advance(days=days)

    async def access(self, memory_id: str, told: Told) -> None:
        await self.memory.touch(memory_id)
        told.access(self.now)

    async def preserve(self, memory_id: str, told: Told, days: int | None) -> None:
        until = None if days is None else self.now + days * DAY
        await self.memory.lifecycle.preserve(memory_id, until=until)
        told.tags = [tag for tag in told.tags if tag != "preserved"] + ["preserved"]
        told.until, told.obsolete = until, None
        told.enter("ACTIVE", self.now)

    async def release(self, memory_id: str, told: Told) -> None:
        await self.memory.lifecycle.preserve(memory_id, release=True)
        before = told.protection(self.now)
        if told.until is not None and told.until < self.now:
            told.unprotected = told.until
        told.tags, told.until = [tag for tag in told.tags if tag != "preserved"], None
        if before and not told.protection(self.now):
            told.unprotected = self.now

    async def reweigh(self, memory_id: str, told: Told, importance: float) -> None:
        await self.memory.update(memory_id, importance=importance)
        told.importance, told.obsolete = importance, None
        told.changed = told.accessed = self.now
        told.wake(self.now)

    async def obsolete(self, memory_id: str, told: Told) -> None:
        await self.memory.lifecycle.mark_obsolete(memory_id, "it is")
        told.enter("EXPIRED", self.now)
        told.obsolete = self.now

    async def delete(self, memory_id: str, told: Told) -> None:
        await self.memory.delete(memory_id)
        told.enter("SOFT_DELETED", self.now)

    async def recover(self, memory_id: str, told: Told) -> None:
        try:
            await self.memory.lifecycle.recover(memory_id)
        except NotSoftDeletedError:
            assert told.state != "SOFT_DELETED"
            return
        except OutsideRecoveryWindowError:
            assert told.deleted is not None
            assert self.now - told.deleted > 90 * DAY
            return
        told.accesses, told.accessed, told.obsolete = told.accesses + 1, self.now, None
        told.enter("ACTIVE", self.now)

    async def maintain(self) -> None:
        before = copy.deepcopy(self.told)
        report = await self.memory.maintenance.run(groups=[self.group])
        assert (report.completed, report.errors) == (True, 0)
        for told in self.told:
            if not told.purged:
                told.step(self.now)
        self.runs.append((report.run_id, before, copy.deepcopy(self.told)))
        again = await self.memory.maintenance.run(groups=[self.group])
        assert (again.transitioned, again.purged) == ({}, 0), "once more at one instant is once"

    async def undo(self) -> None:
        if not self.runs:
            return
        run_id, before, after = self.runs.pop()
        try:
            undone = await self.memory.maintenance.undo(run_id)
        except GraphMemoryError:
            assert self.now - after[0].changed > 30 * DAY
            return
        refused = {refusal.memory_id for refusal in undone.refusals}
        for i, told in enumerate(self.told):
            if after[i].seen() == before[i].seen() and after[i].purged == before[i].purged:
                continue
            if told.seen() != after[i].seen():
                assert self.ids[i] in refused
                continue
            assert self.ids[i] not in refused
            for name in RESTORED:
                setattr(told, name, getattr(before[i], name))
            told.tags = list(before[i].tags)
            told.held = self.now + 7 * DAY

    async def compare(self, act: object) -> None:
        records, _, _ = await self.driver.execute_query(
            "UNWIND $ids AS id OPTIONAL MATCH (m:Memory {uuid: id}) RETURN m", ids=self.ids
        )
        for memory_id, told, record in zip(self.ids, self.told, records, strict=True):
            node = record["m"]
            assert (node is None) == told.purged, act
            if node is None:
                continue
            assert node["lifecycle_state"] == told.state, act
            assert node["access_count"] == told.accesses, act
            assert node["tags"] == told.tags, act
            assert node["importance"] == pytest.approx(told.importance, abs=1e-6), act
            assert (node["soft_deleted_at"] is not None) == (told.state == "SOFT_DELETED")
            status = await self.memory.lifecycle.status(memory_id)
            assert status.protection == told.protection(self.now), act
            assert status.decay_score == pytest.approx(told.score(self.now), abs=1e-6), act
            stored, due = node["next_due_at"], instant(status.next_at) if status.next_at else None
            late = due is not None and stored is not None and max(due, stored) <= instant(self.now)
            assert stored == due or late, (act, memory_id, stored, due)


async def live(
    graph: Graph,
    embedder: Embedder,
    given_settings: Settings,
    driver: AsyncDriver,
    kinds: list[dict[str, Any]],
    acts: list[tuple[Any, ...]],
) -> None:
    """Live through a history, and compare after each act."""
    group, clock = f"test_{secrets.token_hex(8)}", Clock()
    own = given_settings.model_copy(update={"group_id": group})
    memory = GraphMemory.over(graph, embedder, own, clock=clock)
    stored = await memory.add_many(
        [{"content": f"memory {i} of {group}", **kind} for i, kind in enumerate(kinds)]
    )
    world = World(
        memory,
        driver,
        clock,
        group,
        ids=[outcome.memory_id or "" for outcome in stored],
        told=[Told(**copy.deepcopy(kind), changed=TODAY) for kind in kinds],
    )
    for act in acts:
        await world.do(act)
        await world.compare(act)


HISTORIES = {
    "kinds": st.lists(KINDS, min_size=3, max_size=3),
    "acts": st.lists(ACTS, min_size=8, max_size=24),
}
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@given(**HISTORIES)
@settings(max_examples=12, deadline=None, suppress_health_check=CHECKS)
async def test_every_history_goes_as_the_rules_say(
    graph: Graph,
    embedder: Embedder,
    memory: GraphMemory,
    driver: AsyncDriver,
    kinds: list[dict[str, Any]],
    acts: list[tuple[Any, ...]],
) -> None:
    await live(graph, embedder, memory.settings, driver, kinds, acts)


@pytest.mark.stress
@pytest.mark.timeout(7200)
@given(**HISTORIES)
@settings(max_examples=1000, deadline=None, suppress_health_check=CHECKS)
async def test_a_thousand_histories_go_as_the_rules_say(
    graph: Graph,
    embedder: Embedder,
    memory: GraphMemory,
    driver: AsyncDriver,
    kinds: list[dict[str, Any]],
    acts: list[tuple[Any, ...]],
) -> None:
    await live(graph, embedder, memory.settings, driver, kinds, acts)
