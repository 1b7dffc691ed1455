"""Values of slots that are stated, rejected, accepted, lifted and deleted, beside a model."""

import secrets
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_memory import GraphMemory
from graph_memory.errors import GraphMemoryError, PendingReviewError, RejectedBeforeError
from tests.conftest import Clock

CITIES = ("Paris", "Rome")
WORDINGS = ("Alice lives in {}.", "Alice has moved to {}", "These days Alice is based in {}")
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "reject", "delete", "accept", "refuse", "lift"]),
        st.sampled_from(CITIES),
        st.sampled_from(WORDINGS),
    ),
    min_size=6,
    max_size=24,
)


@dataclass
class History:
    """One group, and the model of its statements about two values of a slot.

    Attributes:
        live: The memories by their statement.
        waiting: The writes that wait, by their statement.
        tombstones: Whether the value of a rejected statement is remembered, by the statement.
    """

    memory: GraphMemory
    group: str
    live: dict[str, str] = field(default_factory=dict[str, str])
    waiting: dict[str, str] = field(default_factory=dict[str, str])
    tombstones: dict[str, bool] = field(default_factory=dict[str, bool])

    def refusal(self, text: str) -> type[GraphMemoryError] | None:
        """Return the error that a write has to raise."""
        if text in self.tombstones:
            return RejectedBeforeError
        city = _city(text)
        remembered = (_city(other) == city and kept for other, kept in self.tombstones.items())
        return PendingReviewError if any(remembered) else None

    async def write(self, text: str) -> None:
        if text in self.live or text in self.waiting:
            return
        refusal = self.refusal(text)
        if refusal is None:
            self.live[text] = (await self.memory.add(text, group_id=self.group)).memory_id
            return
        with pytest.raises(refusal):
            await self.memory.add(text, group_id=self.group)
        if refusal is PendingReviewError:
            writes = (await self.memory.pending.list(group_id=self.group)).writes
            (self.waiting[text],) = (each.pending_id for each in writes if each.content == text)

    async def reject(self, text: str) -> None:
        if memory_id := self.live.pop(text, None):
            await self.memory.lifecycle.reject(memory_id, group_id=self.group)
            self.tombstones[text] = True

    async def delete(self, text: str) -> None:
        if memory_id := self.live.pop(text, None):
            await self.memory.delete(memory_id, group_id=self.group)

    async def accept(self, text: str) -> None:
        if pending_id := self.waiting.pop(text, None):
            done = await self.memory.pending.accept([pending_id], group_id=self.group)
            assert done.done == [pending_id]
            self.live[text] = pending_id  # the memory has its id
            for other in self.tombstones:
                self.tombstones[other] &= _city(other) != _city(text)

    async def refuse(self, text: str) -> None:
        if pending_id := self.waiting.pop(text, None):
            await self.memory.pending.reject([pending_id], group_id=self.group)
            self.tombstones[text] = True

    async def lift(self, text: str) -> None:
        """Lift the latest tombstone."""
        if self.tombstones:
            latest, *_ = await self.memory.tombstones.list(group_id=self.group)
            await self.memory.tombstones.lift(latest.tombstone_id, group_id=self.group)
            self.tombstones.popitem()

    async def check(self) -> None:
        """Compare the group with the model."""
        listed = (await self.memory.list(limit=50, group_id=self.group)).memories
        assert {each.memory_id for each in listed} == set(self.live.values())
        writes = (await self.memory.pending.list(group_id=self.group)).writes
        assert {each.pending_id for each in writes} == set(self.waiting.values())
        tombstones = await self.memory.tombstones.list(group_id=self.group)
        assert len(tombstones) == len(self.tombstones)


def _city(text: str) -> str:
    return next(city for city in CITIES if city in text)


@given(acts=ACTS)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_values_wait_as_the_rules_say(
    memory: GraphMemory, clock: Clock, acts: list[tuple[str, str, str]]
) -> None:
    group = f"test_{secrets.token_hex(8)}"
    await memory.groups.set(single_valued_slots=["lives_in"], group_id=group)
    history = History(memory, group)
    for name, city, wording in acts:
        clock.advance(seconds=1)
        await getattr(history, name)(wording.format(city))
        await history.check()
