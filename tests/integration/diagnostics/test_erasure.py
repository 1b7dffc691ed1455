"""Erasure is proved: what was erased is in no place that the receipt calls clean.

The texts have high-entropy words, so that a search of everything finds each leftover. Siblings that
were stored at the same time are the control: the same search must find them before and after.
"""

import gzip
import json
import random
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory, Settings
from graph_memory.api.types import Scope
from graph_memory.backup import archives, restore
from graph_memory.database.graph import Graph
from graph_memory.domain.receipts import receipt_of
from graph_memory.errors import GraphMemoryError, InvalidArgumentError, NotFoundError
from graph_memory.inference.embedder import Embedder
from graph_memory.transfer.import_export import export_lines
from tests.conftest import Clock
from tests.support.mcp_client import call, inside

_LETTERS = "bcdfghjkmnpqrstvwxz23456789"
_TOKEN = re.compile(f"z(?=([{_LETTERS}]{{14}}7))")


def tokens(count: int, seed: str) -> list[str]:
    """Return words that no other text in the database has, if the seed has the group."""
    source = random.Random(seed)
    return [f"z{''.join(source.choices(_LETTERS, k=14))}7" for _ in range(count)]


@pytest_asyncio.fixture
async def memory(
    graph: Graph, embedder: Embedder, settings: Settings, group: str, clock: Clock, tmp_path: Path
) -> AsyncIterator[GraphMemory]:
    """A service with a folder of its own for backups, and all stages of learning."""
    own = {"group_id": group, "backup_path": tmp_path / "backups", "learn": ("entities",)}
    yield GraphMemory.over(graph, embedder, settings.model_copy(update=own), clock=clock)


async def everything(driver: AsyncDriver) -> str:
    """Return all texts of the database, as one."""
    nodes = await driver.execute_query("MATCH (n) RETURN n {.*, embedding: null} AS of")
    edges = await driver.execute_query("MATCH ()-[r]->() RETURN r {.*} AS of")
    return "\n".join(str(row["of"]) for row in (*nodes.records, *edges.records))


def present(words: Iterable[str], text: str) -> list[str]:
    """Return the words that a text has; one pass finds all words of the form of `tokens`."""
    folded = text.casefold()
    of_form = {f"z{rest}" for rest in _TOKEN.findall(folded)}
    return [word for word in words if word in (of_form if _is_token(word) else folded)]


def _is_token(word: str) -> bool:
    return len(word) == 16 and bool(_TOKEN.match(word))


def archived(folder: Path) -> str:
    """Return the texts of all files of all backups."""
    texts: list[str] = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        held = path.read_bytes()
        texts.append((gzip.decompress(held) if path.suffix == ".gz" else held).decode())
    return "\n".join(texts)


async def test_a_thousand_erased_words_are_found_nowhere(
    memory: GraphMemory, group: str, driver: AsyncDriver, clock: Clock, tmp_path: Path
) -> None:
    gone, kept = tokens(1000, f"{group} 1"), tokens(20, f"{group} 2")
    stored = await memory.add_many(
        [{"content": f"Vault {word} holds a letter.", "title": f"Vault {word}"} for word in gone]
    )
    siblings = await memory.add_many([{"content": f"Cellar {word} is dry."} for word in kept])
    ids = [each.memory_id or "" for each in stored]
    own = [each.memory_id or "" for each in siblings]
    for number in range(20):  # versions, relations with facts, sessions, records of runs
        await memory.update(ids[number], content=f"The vault {gone[number]} moved.")
        await memory.relations.add(
            ids[number], own[number], "relates_to", fact=f"{gone[number]} is above {kept[number]}"
        )
    await memory.retrieve(f"vault {gone[0]}")
    clock.advance(days=40)
    await memory.maintenance.run(groups=[group])
    await memory.backups.create()
    before = await everything(driver)
    assert len(present(gone, before)) == 1000
    assert len(present(gone, archived(tmp_path))) == 1000

    receipt = await memory.erasure.erase(ids)

    live = await everything(driver)
    assert present(gone, live) == []
    assert present(kept, live) == kept
    exported = "\n".join([json.dumps(line) async for line in export_lines(memory)])
    assert present(gone, exported) == []
    assert present(kept, exported) == kept
    for word in gone[:5]:
        found = await memory.search(word, counted=False)
        assert all(word not in hit.memory.content for hit in found)
    assert present(gone, receipt.to_json()) == []
    places = {each.place: each for each in receipt.places}
    assert (places["memories"].found, places["memories"].removed) == (1000, 1000)
    assert (places["versions"].found, places["versions"].remaining) == (20, 0)
    assert places["vectors"].removed == 1000
    assert places["relations"].removed >= 20
    assert places["full-text index"].remaining == 0
    (backup,) = [each for each in receipt.places if each.place.startswith("backup ")]
    assert backup.remaining == 1000
    assert "prune --erased" in backup.until

    done = await memory.erasure.verify(receipt, words=gone)
    assert done.signed
    assert {each.place for each in done.findings} == {backup.place}
    assert all(each.on_receipt for each in done.findings)
    (rewritten,) = await memory.erasure.prune_backups()
    assert rewritten.memories_removed == 1000
    files = archived(tmp_path)
    assert present(gone, files) == []
    assert present(kept, files) == kept
    (stored,) = archives.backups(memory.settings)
    restore.check(stored)
    clean = await memory.erasure.verify(receipt, words=gone)
    assert clean.clean, clean.findings[:3]


async def test_what_quotes_an_erased_memory_is_named_and_stays(
    memory: GraphMemory, group: str
) -> None:
    (word,) = tokens(1, f"{group} 3")
    first = await memory.add(f"The key is {word}.")
    quoting = await memory.add(f"Ada wrote down {word} in her diary.")
    sibling = await memory.add("The diary is green.")
    receipt = await memory.erasure.erase([first.memory_id])
    places = {each.place: each for each in receipt.places}
    assert quoting.memory_id in places["memories"].ids
    assert sibling.memory_id not in places["memories"].ids
    assert places["full-text index"].remaining == 1
    found = await memory.erasure.verify(receipt)
    assert quoting.memory_id in {each.id for each in found.findings}
    await memory.erasure.erase([quoting.memory_id])
    assert (await memory.erasure.verify(receipt)).clean


async def test_derived_texts_elsewhere_lose_the_words(
    memory: GraphMemory, group: str, driver: AsyncDriver
) -> None:
    (word,) = tokens(1, f"{group} 4")
    first = await memory.add(f"The key is {word}.")
    left, right = await memory.add("The left door"), await memory.add("The right door")
    await memory.relations.add(left.memory_id, right.memory_id, fact=f"{word} opens both")
    await memory.relations.add(right.memory_id, left.memory_id, fact="Both are open")
    await driver.execute_query(
        "CREATE (:EpisodeJob {job_id: $word, group_id: $group, content: $text, status: 'done'}) "
        "CREATE (:Lesson {group_id: $group, question: $text})",
        word=f"job-{group}",
        group=group,
        text=f"what is {word.upper()}?",
    )
    receipt = await memory.erasure.erase([first.memory_id])
    assert receipt.remaining == []
    assert word not in (await everything(driver)).casefold()
    facts = [each.fact for each in await memory.relations.list(right.memory_id)]
    assert "Both are open" in facts


async def test_a_conversation_is_erased_whole(
    memory: GraphMemory, group: str, driver: AsyncDriver
) -> None:
    words = tokens(4, f"{group} 5")
    for word in words[:3]:
        await memory.add(f"We spoke of {word}", conversation_id="secret talk")
    other = await memory.add(f"We spoke of {words[3]}", conversation_id="open talk")
    receipt = await memory.erasure.erase(conversation_id="secret talk")
    assert len(receipt.memory_ids) == 3
    assert present(words, await everything(driver)) == words[3:]
    assert (await memory.get(other.memory_id)).content.endswith(words[3])
    with pytest.raises(InvalidArgumentError, match="no memories of this conversation"):
        await memory.erasure.erase(conversation_id="secret talk")


async def test_a_changed_receipt_is_detected(memory: GraphMemory) -> None:
    stored = await memory.add("The gate is shut.")
    receipt = await memory.erasure.erase([stored.memory_id])
    text = receipt.to_json()
    assert (await memory.erasure.verify(text)).signed
    assert receipt_of(text) == receipt
    with pytest.raises(GraphMemoryError):  # a tombstone refuses it
        await memory.add("The gate is shut.")
    for changed in (
        replace(receipt, memory_ids=()),
        replace(receipt, at="2020-01-01T00:00:00.000Z"),
        replace(receipt, places=receipt.places[1:]),
        replace(receipt, signature=""),
    ):
        assert not (await memory.erasure.verify(changed)).signed
    with pytest.raises(InvalidArgumentError, match=r"^receipt="):
        await memory.erasure.verify("{}")


async def test_groups_do_not_mix(memory: GraphMemory, group: str) -> None:
    (word,) = tokens(1, f"{group} 6")
    mine = await memory.add(f"The key is {word}")
    theirs = await memory.add(f"Their key is {word}", group_id=f"{group}_2")
    with pytest.raises(NotFoundError):
        await memory.erasure.erase([theirs.memory_id])
    receipt = await memory.erasure.erase([mine.memory_id, theirs.memory_id])
    assert receipt.memory_ids == (mine.memory_id,)
    assert theirs.memory_id not in receipt.to_json()
    assert (await memory.get(theirs.memory_id, group_id=f"{group}_2")).content.endswith(word)


async def test_a_caller_of_one_group_reads_no_names_of_backups(
    memory: GraphMemory, group: str
) -> None:
    added = await memory.add(f"Vault {tokens(1, group)[0]} holds a letter.")
    await memory.backups.create()
    bound = memory.acting_for(Grant("a/1", Scope.WRITE, (group,), Authority.AGENT))
    receipt = await bound.erasure.erase([added.memory_id])
    held = [each for each in receipt.places if each.place.startswith("backup")]
    assert [(each.place, each.remaining) for each in held] == [("backup 1", 1)]


@pytest.mark.parametrize("zeros", [0, 2**20 - 1, 2**20, 3 * 2**20 + 5])
async def test_the_files_of_a_store_are_searched(
    memory: GraphMemory, group: str, tmp_path: Path, zeros: int
) -> None:
    (word, other) = tokens(2, f"{group} 7")
    stored = await memory.add(f"The key is {word}")
    receipt = await memory.erasure.erase([stored.memory_id])
    folder = tmp_path / "store"
    folder.mkdir()
    text = b"\0" * 10 + word.encode("utf-16-le")
    (folder / "neostore.strings").write_bytes(text + b"\0" * zeros)  # a file enlarged in advance
    (folder / "empty").write_bytes(b"")
    found = await memory.erasure.verify(receipt, words=[word], store=folder)
    assert [(each.place, each.id) for each in found.findings] == [("neostore.strings", "byte 10")]
    assert (await memory.erasure.verify(receipt, words=[other], store=folder)).clean
    with pytest.raises(InvalidArgumentError, match=r"^store="):
        await memory.erasure.verify(receipt, store=folder)


async def test_an_agent_gets_the_short_form(memory: GraphMemory) -> None:
    async with inside(memory) as client:
        added = await call(client, "add_memory", content="The gate is shut.")
        gone = await call(client, "delete_memory", memory_id=added["memory_id"], permanent=True)
        assert gone["erasure"]["remaining"] == {}
        assert gone["erasure"]["places_searched"] > 20
        again = await call(client, "add_memory", content="The gate is wide open.")
        soft = await call(client, "delete_memory", memory_id=again["memory_id"])
        assert "erasure" not in soft


async def test_what_is_erased_stays_absent_after_jobs_reindex_restart_and_export(
    memory: GraphMemory, group: str, clock: Clock, driver: AsyncDriver
) -> None:
    gone, kept = tokens(2, f"{group} 8")
    first, sibling = [
        each.memory_id or ""
        for each in await memory.add_many(
            [{"content": f"The vault is {gone}."}, {"content": f"The attic is {kept}."}]
        )
    ]
    session = (await memory.retrieve(f"vault {gone} attic {kept}")).session_id
    await memory.erasure.erase([first])
    clock.advance(days=1)
    await memory.maintenance.run(groups=[group], full=True)
    await memory.embeddings.rebuild(group_id=group)
    engine = memory.context.engine
    restarted = GraphMemory.over(engine.graph, engine.embedder, memory.settings, clock=clock)
    assert all(gone not in str(hit.memory) for hit in await restarted.search(gone))
    for question in (kept, "vault", "attic"):
        found = await restarted.search(question, counted=False)
        delivered = (await restarted.retrieve(question, session_id=session)).memories
        assert all(gone not in str(hit.memory) for hit in (*found, *delivered))
    await restarted.context.session_store.flush()
    assert sibling in {hit.memory.memory_id for hit in await restarted.search(kept)}
    exported = "\n".join([json.dumps(line) async for line in export_lines(restarted)])
    assert (gone in exported, kept in exported) == (False, True)
    assert present([gone, kept], await everything(driver)) == [kept]


#: Counts of each kind of thing that is derived from a memory.
DERIVED = """
MATCH (m:Memory {uuid: $id})
RETURN COUNT { (m)-[:HAS_VERSION]->() } AS versions, COUNT { (m)-[:HAS_PASSAGE]->() } AS passages,
  COUNT { (m)-[:HAS_WORDS]->() } AS words, COUNT { (m)-[:HAS_MENTION]->() } AS mentions,
  COUNT { (m)-[:RELATES_TO]-() } AS relations,
  CASE WHEN m.embedding IS NULL THEN 0 ELSE 1 END AS vectors
"""


async def test_deleting_a_source_reaches_each_kind_of_derived_thing(
    memory: GraphMemory, group: str, driver: AsyncDriver
) -> None:
    async def derived(memory_id: str) -> dict[str, int]:
        found = await driver.execute_query(DERIVED, id=memory_id)
        return found.records[0].data() if found.records else {}

    ids: list[str] = []
    for name in ("Alice Tarn", "Bruno Quell"):
        long = " ".join(
            f"{name} wrote letter {number} to https://example.org." for number in range(99)
        )
        source = await memory.add(long)
        await memory.update(source.memory_id, content=f"{long} That was all.")
        summary = await memory.add(f"{name} wrote letters")
        await memory.relations.add(summary.memory_id, source.memory_id, fact=f"{name} in short")
        ids.append(source.memory_id)
    await memory.maintenance.run(groups=[group])
    before = [await derived(each) for each in ids]
    assert all(all(each.values()) for each in before), before
    receipt = await memory.erasure.erase(ids[:1])
    assert await derived(ids[0]) == {}
    assert await derived(ids[1]) == before[1]
    removed = {each.place: each.removed for each in receipt.places}
    for place in ("versions", "passages", "word vectors", "mentions", "relations", "vectors"):
        assert removed[place] > 0, place
    left = await driver.execute_query(
        "MATCH (n) WHERE n.group_id = $group AND (n:MemoryVersion OR n:Passage OR n:WordVectors) "
        "AND NOT EXISTS { (n)--() } RETURN count(n) AS count",
        group=group,
    )
    assert left.records[0]["count"] == 0
