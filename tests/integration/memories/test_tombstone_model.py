"""Statements that are written, rejected, erased, recovered, lifted and restored, beside a model.

They run on a Neo4j of their own, because a restore replaces all groups.
"""

import copy
import json
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graph_memory import GraphMemory
from graph_memory.backup import create
from graph_memory.backup.restore import restore
from graph_memory.database.embedding_record import record_embedding
from graph_memory.errors import DuplicateError, GraphMemoryError, RejectedBeforeError
from graph_memory.transfer.import_export import import_lines
from tests.conftest import TODAY, Clock
from tests.integration.backup.test_backup import own
from tests.support.graphiti_script import GraphitiScript
from tests.support.scripted_llm import ScriptedLlm

__all__ = ["own"]  # fixtures

pytestmark = pytest.mark.usefixtures("imported")

STATEMENTS = ("Ada has a sister called Zelda", "The depot of Olten opens at six")
#: The fact that each statement is in an episode: from, name, to.
FACTS = (("Ada", "HAS_SISTER", "Zelda"), ("Depot of Olten", "OPENS_AT", "Six"))
WAYS = ("add", "batch", "import", "capture", "update")
#: Spellings of one statement. A tombstone refuses all of them.
SPELLINGS = (str, str.upper, lambda text: f"  {text}!", lambda text: text.replace(" ", "\u00a0"))

WHICH = st.integers(0, len(STATEMENTS) - 1)
ACTS = st.one_of(
    st.tuples(st.just("write"), WHICH, st.sampled_from(WAYS), st.integers(0, 3)),
    st.tuples(st.sampled_from(["delete", "reject", "erase", "lift"]), WHICH),
    st.tuples(st.sampled_from(["recover", "erase_deleted"]), WHICH, st.integers(0, 2)),
    st.tuples(st.sampled_from(["maintain", "back_up"]), WHICH),
    st.tuples(st.just("restore"), WHICH, st.integers(0, 2)),
    st.tuples(st.just("episode"), WHICH, st.sampled_from(["same", "longer"]), st.integers(0, 3)),
)
HISTORIES = st.lists(ACTS, min_size=4, max_size=14)
TOMBSTONES_AFTER_A_BACKUP = [
    ("write", 0, "add", 0),
    ("write", 1, "import", 0),
    ("back_up", 0),
    ("reject", 0),
    ("erase", 1),
    ("restore", 0, 0),
    ("write", 0, "capture", 1),
    ("episode", 0, "longer", 2),
    ("episode", 1, "same", 3),
    ("recover", 0, 0),
    ("episode", 0, "longer", 0),
]
REJECTED_AGAIN_AFTER_A_BACKUP = [
    ("write", 0, "add", 0),
    ("reject", 0),
    ("back_up", 0),
    ("lift", 0),
    ("write", 0, "batch", 0),
    ("reject", 0),
    ("restore", 0, 0),
    ("recover", 0, 0),
    ("write", 0, "update", 1),
]
ERASED_AFTER_A_BACKUP = [
    ("write", 1, "add", 0),
    ("episode", 1, "same", 0),
    ("delete", 1),
    ("back_up", 0),
    ("erase_deleted", 1, 0),
    ("restore", 0, 0),
]
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@dataclass
class Told:
    """A statement as the rules say it is.

    Attributes:
        live: The id of the memory that holds it.
        deleted: The ids of its memories that can be recovered.
        tombstone: The id of the rejected memory, `erased`, or None without a tombstone.
        left: A token of the act that left the tombstone.
        fact: Whether a relation has it as its fact.
        heard: Whether Graphiti has stored it; it may be in the summary of an entity.
    """

    live: str | None = None
    deleted: list[str] = field(default_factory=list[str])
    tombstone: str | None = None
    left: str = ""
    fact: bool = False
    heard: bool = False

    def leave(self, tombstone: str) -> None:
        """Leave a tombstone."""
        self.tombstone, self.left = tombstone, secrets.token_hex(4)

    @property
    def refusal(self) -> type[GraphMemoryError] | None:
        """The error of a write."""
        if self.tombstone:
            return RejectedBeforeError
        return DuplicateError if self.live else None

    def restored(self, backup: "Told") -> "Told":
        """Return what a restore makes of the statement: the tombstones of the database hold."""
        made = copy.deepcopy(backup)
        if self.tombstone is None:
            return made
        made.tombstone = "erased" if backup.tombstone == "erased" else self.tombstone
        made.left = self.left
        if self.left == backup.left:
            return made  # what the backup holds of it stood beside this tombstone
        made.fact = False
        if made.live:
            made.deleted.append(made.live)
        made.live = None
        if made.tombstone == "erased":
            made.deleted = []
        return made


@dataclass
class History:
    """One group, and the model of each statement.

    Attributes:
        reader: The same database, with a language model that finds each statement as a fact.
        backups: The folders of the backups, each with the model of its instant.
    """

    memory: GraphMemory
    reader: GraphMemory
    script: GraphitiScript
    clock: Clock
    group: str
    told: list[Told]
    backups: list[tuple[Path, list[Told]]] = field(default_factory=list[tuple[Path, list[Told]]])

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
            told.leave(told.live)
            told.live = None

    async def _erase(self, told: Told, which: int) -> None:
        if told.live:
            await self.memory.delete(told.live, permanent=True, group_id=self.group)
            told.live = None
            told.leave("erased")

    async def _erase_deleted(self, told: Told, which: int, nth: int) -> None:
        if told.deleted and not told.live:
            gone = told.deleted.pop(nth % len(told.deleted))
            await self.memory.delete(gone, permanent=True, group_id=self.group)
            told.leave("erased")

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

    async def _episode(self, told: Told, which: int, how: str, spelling: int) -> None:
        """Write an episode in which the model finds the statement as a fact."""
        text = SPELLINGS[spelling](STATEMENTS[which])
        source, name, target = FACTS[which]
        self.script.entities, self.script.facts = [source, target], [(source, name, target, text)]
        if how == "same" and told.tombstone:
            with pytest.raises(RejectedBeforeError):
                await self.reader.episodes.add(text, group_id=self.group)
            return
        content = text if how == "same" else f"A letter came, by which {text}, it seems."
        job = await self.reader.episodes.add(content, wait=True, group_id=self.group)
        assert (job.status, job.error) == ("done", None)
        told.fact = told.fact or told.tombstone is None
        told.heard = told.heard or told.fact

    async def _back_up(self, told: Told, which: int) -> None:
        made = await create.create(self.memory.context.graph, self.memory.settings, keep_all=True)
        self.backups.append((made.backup_path, copy.deepcopy(self.told)))

    async def _restore(self, told: Told, which: int, nth: int) -> None:
        if not self.backups:
            return
        path, before = self.backups[nth % len(self.backups)]
        for each in (self.memory, self.reader):
            await each.context.accesses.flush()  # nothing else may write during a restore
        await restore(self.memory.context.graph, self.memory.settings, path, replace=True)
        self.told = [each.restored(was) for each, was in zip(self.told, before, strict=True)]

    async def _facts(self) -> set[str]:
        """Return the facts of the group as they are spelt in STATEMENTS.

        A relation that lost its fact has its name there.
        """
        listed = (await self.memory.list(limit=50, group_id=self.group)).memories
        sources = tuple(source for source, _, _ in FACTS)
        found = [
            relation
            for each in listed
            if each.content.startswith(sources)
            for relation in await self.memory.relations.list(each.memory_id, group_id=self.group)
        ]
        return {_plain(each.fact) for each in found} - {name.casefold() for _, name, _ in FACTS}

    async def check(self) -> None:
        """Compare the group with the model."""
        listed = (await self.memory.list(limit=50, group_id=self.group)).memories
        plain = {_plain(each) for each in STATEMENTS}
        held = {each.memory_id for each in listed if _plain(each.content) in plain}
        assert held == {told.live for told in self.told if told.live}
        unheard = [_plain(STATEMENTS[n]) for n, told in enumerate(self.told) if not told.heard]
        for each in listed:  # no summary of an entity brings a statement back
            if each.content.startswith(tuple(f"{source}: " for source, _, _ in FACTS)):
                assert not any(text in _plain(each.content) for text in unheard)
        facts = {_plain(STATEMENTS[n]) for n, told in enumerate(self.told) if told.fact}
        assert await self._facts() == facts
        tombstones = await self.memory.tombstones.list(group_id=self.group)
        assert len(tombstones) == sum(bool(told.tombstone) for told in self.told)


def _plain(text: str) -> str:
    """Return a spelling as all spellings of its statement are."""
    return text.replace("\u00a0", " ").strip(" !").casefold()


@dataclass
class Play:
    """The parts of which each history is made."""

    memory: GraphMemory
    reader: GraphMemory
    script: GraphitiScript
    clock: Clock

    async def live(self, acts: list[tuple[Any, ...]]) -> None:
        """Play a history in an empty database."""
        settings = self.memory.settings
        shutil.rmtree(create.folder_of(settings), ignore_errors=True)
        await self.memory.context.graph.run("backup/restore/erase", batch=1000, owner=None)
        await record_embedding(self.memory.context.graph, settings)
        group, self.clock.now = f"test_{secrets.token_hex(8)}", TODAY
        told = [Told() for _ in STATEMENTS]
        history = History(self.memory, self.reader, self.script, self.clock, group, told)
        for name, *given_ in acts:
            await history.act(name, *given_)
            await history.check()


@pytest_asyncio.fixture
async def play(own: GraphMemory, llm: ScriptedLlm, clock: Clock) -> AsyncIterator[Play]:
    given_ = own.settings.model_copy(update={"backup_keep": 100})
    quick = {"llm_url": llm.url, "episode_retry_seconds": 0.0, "llm_breaker_failures": 100}
    graph, embedder = own.context.graph, own.context.embedder
    memory = GraphMemory.over(graph, embedder, given_, clock=clock)
    reader = GraphMemory.over(graph, embedder, given_.model_copy(update=quick), clock=clock)
    yield Play(memory, reader, GraphitiScript().attach(llm), clock)
    await reader.close()
    await memory.context.accesses.flush()


@given(acts=HISTORIES)
@example(acts=TOMBSTONES_AFTER_A_BACKUP)
@example(acts=REJECTED_AGAIN_AFTER_A_BACKUP)
@example(acts=ERASED_AFTER_A_BACKUP)
@settings(max_examples=12, deadline=None, suppress_health_check=CHECKS)
async def test_every_history_goes_as_the_rules_say(play: Play, acts: list[tuple[Any, ...]]) -> None:
    await play.live(acts)


@pytest.mark.stress
@pytest.mark.timeout(7200)
@given(acts=HISTORIES)
@settings(max_examples=400, deadline=None, suppress_health_check=CHECKS)
async def test_four_hundred_histories_go_as_the_rules_say(
    play: Play, acts: list[tuple[Any, ...]]
) -> None:
    await play.live(acts)
