"""Random histories: the graph and a small model of it must agree about every instant."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from tests.conftest import TODAY, Clock

SMALL = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LARGE = settings(SMALL, max_examples=2000)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(-30, 5)),
        st.tuples(st.just("update"), st.integers(0, 9)),
        st.tuples(st.just("relate"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("unrelate"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("supersede"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("delete"), st.integers(0, 9)),
    ),
    min_size=3,
    max_size=12,
)
INSTANTS = st.none() | st.integers(-40, 30)
QUESTIONS = st.lists(st.tuples(INSTANTS, INSTANTS), min_size=1, max_size=3)


@dataclass
class Fact:
    """A memory or relation of the model: when it was recorded, true, ended, deleted."""

    recorded: datetime
    since: datetime
    end: tuple[datetime, datetime] | None = None  # (recorded, true until)
    deleted: datetime | None = None
    texts: list[tuple[datetime, str]] = field(default_factory=list[tuple[datetime, str]])

    def holds(self, as_of: datetime | None, known_at: datetime | None, now: datetime) -> bool:
        if known_at and self.recorded > known_at:
            return False
        if self.deleted and not (known_at and self.deleted > known_at):
            return False
        if as_of and self.since > as_of:
            return False
        end_is_known = self.end and (known_at is None or self.end[0] <= known_at)
        return not (self.end and end_is_known and self.end[1] <= (as_of or known_at or now))

    def text(self, known_at: datetime | None) -> str:
        known = [text for since, text in self.texts if known_at is None or since <= known_at]
        return known[-1]


class History:
    """Takes the same steps in the graph and in the model."""

    def __init__(self, memory: GraphMemory, clock: Clock) -> None:
        self.memory, self.clock = memory, clock
        self.group = f"travel_{secrets.token_hex(8)}"
        self.memories: dict[str, Fact] = {}
        self.relations: dict[tuple[str, str], list[Fact]] = {}
        self.serial = 0

    def pick(self, number: int) -> str | None:
        alive = [id_ for id_, fact in self.memories.items() if not fact.deleted]
        return alive[number % len(alive)] if alive else None

    def words(self) -> str:
        self.serial += 1
        return f"text number {self.serial}"

    async def take(self, step: tuple[Any, ...]) -> None:
        self.clock.advance(days=1)
        name, *numbers = step
        if name == "add":
            await self.add(numbers[0])
            return
        picked = [self.pick(number) for number in numbers]
        if None in picked or (len(picked) == 2 and picked[0] == picked[1]):
            return
        await getattr(self, name)(*picked)

    async def add(self, offset: int) -> None:
        now, words = self.clock.now, self.words()
        since = now + timedelta(days=offset)
        stored = await self.memory.add(words, valid_at=since, group_id=self.group)
        self.memories[stored.memory_id] = Fact(now, since, texts=[(now, words)])

    async def update(self, memory_id: str) -> None:
        words = self.words()
        await self.memory.update(memory_id, content=words, group_id=self.group)
        self.memories[memory_id].texts.append((self.clock.now, words))
        self.memories[memory_id].end = None  # it holds again

    async def relate(self, from_id: str, to_id: str) -> None:
        facts = self.relations.setdefault((from_id, to_id), [])
        (made,) = await self.memory.relations.add(from_id, to_id, "supports", group_id=self.group)
        assert made.created == (not facts or facts[-1].end is not None)
        if made.created:
            facts.append(Fact(self.clock.now, self.clock.now))

    async def unrelate(self, from_id: str, to_id: str) -> None:
        now, facts = self.clock.now, self.relations.get((from_id, to_id), [])
        open_ = [fact for fact in facts if fact.end is None]
        ended = await self.memory.relations.remove(from_id, to_id, "supports", group_id=self.group)
        assert ended == len(open_)
        for fact in open_:
            fact.end = (now, now)

    async def supersede(self, loser: str, winner: str) -> None:
        lost, won = self.memories[loser], self.memories[winner]
        now = self.clock.now
        if lost.end:
            return
        superseding = self.memory.lifecycle.mark_obsolete(
            loser, "test", superseded_by=winner, group_id=self.group
        )
        if won.end or won.since > now:
            with pytest.raises(InvalidArgumentError):
                await superseding
            return
        await superseding
        lost.end = (now, won.since if won.since > lost.since else now)

    async def delete(self, memory_id: str) -> None:
        await self.memory.delete(memory_id, group_id=self.group)
        self.memories[memory_id].deleted = self.clock.now

    async def check(self, as_of: datetime | None, known_at: datetime | None) -> None:
        now = self.clock.now
        clocks = {"as_of": as_of, "known_at": known_at, "group_id": self.group}
        past = as_of or known_at
        expected = {
            id_: fact.text(known_at)
            for id_, fact in self.memories.items()
            if fact.holds(as_of, known_at, now) and (past or fact.end is None)
        }
        listed = (await self.memory.list(limit=50, **clocks)).memories
        assert {m.memory_id: m.content for m in listed} == expected
        found = await self.memory.search("text number", limit=50, **clocks)
        assert {hit.memory.memory_id: hit.memory.content for hit in found} == expected
        for start in list(self.memories)[:3]:
            await self.check_relations(start, clocks, now)

    async def check_relations(self, start: str, clocks: dict[str, Any], now: datetime) -> None:
        as_of, known_at = clocks["as_of"], clocks["known_at"]

        def there(memory_id: str) -> bool:
            deleted = self.memories[memory_id].deleted
            return not deleted or bool(known_at and deleted > known_at)

        expected = sorted(
            ends
            for ends, facts in self.relations.items()
            for fact in facts
            if start in ends and fact.holds(as_of, known_at, now) and all(map(there, ends))
        )
        relations = await self.memory.relations.list(start, **clocks)
        supports = [r for r in relations if r.relation_type == "supports"]
        assert sorted((r.from_id, r.to_id) for r in supports) == expected


async def travel(
    memory: GraphMemory,
    clock: Clock,
    steps: list[tuple[Any, ...]],
    questions: list[tuple[Any, ...]],
) -> None:
    clock.now = TODAY
    history = History(memory, clock)
    for step in steps:
        await history.take(step)
    await history.check(None, None)
    for question in questions:
        # Half a day off, so that an instant never coincides with a step.
        as_of, known_at = (
            None if days is None else TODAY + timedelta(days=days, hours=12) for days in question
        )
        await history.check(as_of, known_at)
    await memory.context.accesses.flush()


#: What was superseded and then rewritten holds again, and was current before.
REWRITTEN = [("add", 0), ("add", 0), ("add", -3), ("supersede", 2, 0), ("update", 2)]


@SMALL
@example(REWRITTEN, [(None, 3)])
@given(STEPS, QUESTIONS)
async def test_the_graph_and_the_model_agree_about_the_past(
    memory: GraphMemory, clock: Clock, steps: list[Any], questions: list[Any]
) -> None:
    await travel(memory, clock, steps, questions)


@pytest.mark.stress
@pytest.mark.timeout(3600)
@LARGE
@given(STEPS, QUESTIONS)
async def test_two_thousand_histories_agree(
    memory: GraphMemory, clock: Clock, steps: list[Any], questions: list[Any]
) -> None:
    await travel(memory, clock, steps, questions)
