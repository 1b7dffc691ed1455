"""Statements that are written, rejected, erased, recovered and lifted, beside a model."""

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_memory import GraphMemory
from graph_memory.errors import DuplicateError, GraphMemoryError, RejectedBeforeError
from graph_memory.transfer.import_export import import_lines
from tests.conftest import Clock

STATEMENTS = ("Ada has a sister called Zelda", "The depot of Olten opens at six")
WAYS = ("add", "batch", "import", "capture", "update")
#: Spellings of one statement. A tombstone refuses all of them.
SPELLINGS = (str, str.upper, lambda text: f"  {text}!", lambda text: text.replace(" ", "\u00a0"))

WHICH = st.integers(0, len(STATEMENTS) - 1)
ACTS = st.one_of(
    st.tuples(st.just("write"), WHICH, st.sampled_from(WAYS), st.integers(0, 3)),
    st.tuples(st.sampled_from(["delete", "reject", "erase", "lift"]), WHICH),
    st.tuples(st.sampled_from(["recover", "erase_deleted"]), WHICH, st.integers(0, 2)),
    st.tuples(st.just("maintain"), WHICH),
)
HISTORIES = st.lists(ACTS, min_size=4, max_size=14)
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@dataclass
class Told:
    """A statement as the rules say it is.

    Attributes:
        live: The id of the memory that holds it.
        deleted: The ids of its memories that can be recovered.
        tombstone: The id of the rejected memory, `erased`, or None without a tombstone.
    """

    live: str | None = None
    deleted: list[str] = field(default_factory=list[str])
    tombstone: str | None = None

    @property
    def refusal(self) -> type[GraphMemoryError] | None:
        """The error of a write."""
        if self.tombstone:
            return RejectedBeforeError
        return DuplicateError if self.live else None


@dataclass
class History:
    """One group, and the model of each statement."""

    memory: GraphMemory
    clock: Clock
    group: str
    told: list[Told]

    async def act(self, name: str, which: int, *more: Any) -> None:
        """Carry out an act on a statement, in the group and in the model."""
        await getattr(self, f"_{name}")(self.told[which], which, *more)

    async def _write(self, told: Told, which: int, way: str, spelling: int) -> None:
        # Another spelling of a live statement is another content; only a tombstone refuses it.
        text = SPELLINGS[spelling](STATEMENTS[which]) if told.tombstone else STATEMENTS[which]
        refused = await self._refusal(way, text)
        assert refused is told.refusal, (way, text, told)
        if refused is None:
            told.live = await self._holder(STATEMENTS[which])

    async def _refusal(self, way: str, text: str) -> type[GraphMemoryError] | None:
        """Write a text by a way; return the kind of the error, if it is refused."""
        codes = {"rejected_before": RejectedBeforeError, "duplicate": DuplicateError}
        try:
            if way == "import":
                line = json.dumps({"content": text})
                report = await import_lines(self.memory, [line], self.group)
                if report.skipped:
                    return DuplicateError
                return codes[report.errors[0].code] if report.errors else None
            if way == "capture":
                return await self._captured(text)
            await self._written(way, text)
        except (RejectedBeforeError, DuplicateError) as error:
            return type(error)
        return None

    async def _captured(self, text: str) -> type[GraphMemoryError] | None:
        conversation = secrets.token_hex(4)
        turn = {"content": text, "role": "user"}
        (done,) = await self.memory.conversations.capture(conversation, [turn], group_id=self.group)
        if done.memory_id is None:
            return RejectedBeforeError
        return None if done.status == "stored" else DuplicateError

    async def _written(self, way: str, text: str) -> None:
        memory, group = self.memory, self.group
        if way == "add":
            await memory.add(text, group_id=group)
        elif way == "batch":
            (added,) = await memory.add_many([{"content": text}], group_id=group)
            if added.error:
                raise added.error
        else:
            other = await memory.add(f"Draft {secrets.token_hex(8)}", group_id=group)
            await memory.update(other.memory_id, content=text, group_id=group)

    async def _holder(self, text: str) -> str:
        """Return the id of the memory that holds a text."""
        listed = (await self.memory.list(limit=50, group_id=self.group)).memories
        (found,) = (each.memory_id for each in listed if each.content.strip() == text)
        return found

    async def _delete(self, told: Told, which: int) -> None:
        if told.live:
            await self.memory.delete(told.live, group_id=self.group)
            told.deleted.append(told.live)
            told.live = None

    async def _reject(self, told: Told, which: int) -> None:
        if told.live:
            await self.memory.lifecycle.reject(told.live, group_id=self.group)
            told.deleted.append(told.live)
            told.live, told.tombstone = None, told.live

    async def _erase(self, told: Told, which: int) -> None:
        if told.live:
            await self.memory.delete(told.live, permanent=True, group_id=self.group)
            told.live, told.tombstone = None, "erased"

    async def _erase_deleted(self, told: Told, which: int, nth: int) -> None:
        if told.deleted and not told.live:
            gone = told.deleted.pop(nth % len(told.deleted))
            await self.memory.delete(gone, permanent=True, group_id=self.group)
            told.tombstone = "erased"

    async def _recover(self, told: Told, which: int, nth: int) -> None:
        if not told.deleted:
            return
        back = told.deleted[nth % len(told.deleted)]
        own = told.tombstone in (None, back)
        if own and not told.live:
            await self.memory.lifecycle.recover(back, group_id=self.group)
            told.deleted.remove(back)
            told.live, told.tombstone = back, None
            return
        with pytest.raises((RejectedBeforeError, DuplicateError)):
            await self.memory.lifecycle.recover(back, group_id=self.group)

    async def _lift(self, told: Told, which: int) -> None:
        if told.tombstone is None:
            return  # an erased tombstone of the other statement has no memory id, too
        for each in await self.memory.tombstones.list(group_id=self.group):
            if each.memory_id == told.tombstone or told.tombstone == "erased" == each.reason:
                with_one = [t for t in self.told if t.tombstone == "erased"]
                if told.tombstone == "erased" and len(with_one) > 1:
                    continue  # which of them it is, a tombstone does not show
                await self.memory.tombstones.lift(each.tombstone_id, group_id=self.group)
                told.tombstone = None
                return

    async def _maintain(self, told: Told, which: int) -> None:
        self.clock.advance(days=1)
        await self.memory.maintenance.run(groups=[self.group], full=True)

    async def check(self) -> None:
        """Compare the group with the model."""
        listed = (await self.memory.list(limit=50, group_id=self.group)).memories
        held = {each.memory_id for each in listed if not each.content.startswith("Draft")}
        assert held == {told.live for told in self.told if told.live}
        tombstones = await self.memory.tombstones.list(group_id=self.group)
        assert len(tombstones) == sum(bool(told.tombstone) for told in self.told)


async def live(memory: GraphMemory, clock: Clock, acts: list[tuple[Any, ...]]) -> None:
    """Play a history in a group of its own."""
    group = f"test_{secrets.token_hex(8)}"
    history = History(memory, clock, group, [Told() for _ in STATEMENTS])
    for name, *given_ in acts:
        await history.act(name, *given_)
        await history.check()


@given(acts=HISTORIES)
@settings(max_examples=12, deadline=None, suppress_health_check=CHECKS)
async def test_every_history_goes_as_the_rules_say(
    memory: GraphMemory, clock: Clock, acts: list[tuple[Any, ...]]
) -> None:
    await live(memory, clock, acts)


@pytest.mark.stress
@pytest.mark.timeout(3600)
@given(acts=HISTORIES)
@settings(max_examples=400, deadline=None, suppress_health_check=CHECKS)
async def test_four_hundred_histories_go_as_the_rules_say(
    memory: GraphMemory, clock: Clock, acts: list[tuple[Any, ...]]
) -> None:
    await live(memory, clock, acts)
