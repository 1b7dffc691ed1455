"""A name, or all of a group, is erased with a receipt: nothing that holds it is left, or missed."""

import json
from pathlib import Path

import pytest
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory
from graph_memory.api.types import Scope
from graph_memory.backup import archives, restore
from graph_memory.domain.receipts import receipt_of
from graph_memory.errors import (
    ConfirmationRequiredError,
    ForbiddenError,
    GraphMemoryError,
    InvalidArgumentError,
    NotFoundError,
    PendingReviewError,
)
from graph_memory.transfer.import_export import export_lines
from tests.conftest import Clock
from tests.integration.diagnostics.test_erasure import (
    archived,
    everything,
    memory,  # noqa: F401 - a fixture
    present,
    tokens,
)
from tests.integration.maintenance.test_run import other

NAME = "Zoë Quendler"


async def held_by(driver: AsyncDriver, group: str) -> str:
    """Return all texts of a group, in lower case."""
    nodes = await driver.execute_query(
        "MATCH (n) WHERE n.group_id = $group OR n.session_id STARTS WITH $group + '|' "
        "RETURN n {.*, embedding: null} AS of",
        group=group,
    )
    edges = await driver.execute_query(
        "MATCH (n {group_id: $group})-[r]->() RETURN r {.*} AS of", group=group
    )
    return "\n".join(str(row["of"]) for row in (*nodes.records, *edges.records)).lower()


async def chosen(memory: GraphMemory, name: str = NAME) -> set[str]:  # noqa: F811
    return {each.memory_id for each in (await memory.erasure.of_name(name)).memories}


async def confirmation(memory: GraphMemory, name: str = NAME) -> str:  # noqa: F811
    return (await memory.erasure.of_name(name)).confirmation


async def test_a_name_chooses_whole_words_in_each_text_of_a_memory(
    memory: GraphMemory,  # noqa: F811
    group: str,
) -> None:
    whole = [
        await memory.add("Zoë Quendler prefers green tea"),
        await memory.add("Ask ZOE QUENDLER's sister"),
        await memory.add("Write to zoe.quendler@example.org"),
        await memory.add("The tea is green", title="About Zoë Quendler"),
        await memory.add("The coffee is black", tags=["zoe-quendler"]),
        await memory.add("The water is clear", metadata={"note": "by\nZoë Quendler"}),
        await memory.add("Zoe\u0308 Quendler sings"),
    ]
    changed = await memory.add("Zoë Quendler moved to Bonn")
    await memory.update(changed.memory_id, content="She moved to Bonn")
    deleted = await memory.add("Zoë Quendler left")
    await memory.delete(deleted.memory_id)
    for text in ("Zoë met Quendler", "Zoë Quendlers", "Quendler, Zoë", "Chloë Quendler"):
        await memory.add(text)
    await memory.add("Zoë Quendler is theirs", group_id=f"{group}_2")
    expected = {each.memory_id for each in (*whole, changed, deleted)}
    found = await memory.erasure.of_name("zoe quendler")
    assert {each.memory_id for each in found.memories} == expected
    assert found.confirmation == f"ERASE {len(expected)}"
    assert found.names == ("zoe quendler",)
    assert "About Zoë Quendler" in {each.lead for each in found.memories}
    assert await chosen(memory, "Zo") == set()


async def test_a_name_is_chosen_in_compressed_contents(
    memory: GraphMemory,  # noqa: F811
    group: str,
    clock: Clock,
    driver: AsyncDriver,
) -> None:
    long = await memory.add(f"{'The old letter. ' * 100} It is by Zoë Quendler.", title="A letter")
    packed = other(memory, compress_after_days=1)
    clock.advance(days=400)
    for _ in range(3):
        await packed.maintenance.run(groups=[group])
        clock.advance(days=100)
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) RETURN m.content_gz IS NOT NULL AS packed",
        id=long.memory_id,
    )
    assert [each["packed"] for each in records] == [True]
    assert await chosen(memory) == {long.memory_id}


async def test_a_name_is_erased_everywhere_and_the_receipt_does_not_hold_it(
    memory: GraphMemory,  # noqa: F811
    group: str,
    driver: AsyncDriver,
    tmp_path: Path,
) -> None:
    await memory.add("Zoë Quendler prefers green tea")
    await memory.add("They met Zoe Quendler in Zermatt")
    kept = await memory.add("The ferry leaves at seven")
    lift = await memory.add("The lift is out of order")
    await memory.relations.add(kept.memory_id, lift.memory_id, fact="ZOË  QUENDLER owns both")
    theirs = await memory.add("Zoë Quendler is theirs", group_id=f"{group}_2")
    await memory.maintenance.run(groups=[group])
    strict = other(memory, review_authorities=(Authority.AGENT,))
    with pytest.raises(PendingReviewError):
        await strict.add("Zoë Quendler has the key", title="A key")
    session = (await memory.retrieve("does zoe quendler take the ferry?")).session_id
    await memory.retrieve("and the lift?", session_id=session)
    await memory.context.session_store.flush()
    await memory.backups.create()
    assert "quendler" in await held_by(driver, group)

    receipt = await memory.erasure.erase(name=NAME, confirm=await confirmation(memory))

    assert "quendler" not in await held_by(driver, group)
    assert "and the lift?" in await held_by(driver, group)
    assert receipt.selected == "name"
    assert len(receipt.memory_ids) == 2
    assert present(["zoë", "zoe", "quendler"], receipt.to_json().casefold()) == []
    places = {each.place: each for each in receipt.places}
    assert (places["memories"].found, places["memories"].remaining) == (2, 0)
    assert places["entities"].removed >= 1
    assert places["full-text index"].remaining == 0
    assert [each for each in receipt.remaining if not each.startswith("backup ")] == []
    assert (await memory.get(kept.memory_id)).content.startswith("The ferry")
    assert (await memory.get(theirs.memory_id, group_id=f"{group}_2")).content
    exported = "\n".join([json.dumps(line) async for line in export_lines(memory)])
    assert "Quendler" not in exported

    found = await memory.erasure.verify(receipt)
    assert {each.place.split()[0] for each in found.findings} == {"backup"}
    assert theirs.memory_id not in {each.id for each in found.findings}
    (rewritten,) = await memory.erasure.prune_backups()
    assert rewritten.memories_removed == 2
    (stored,) = archives.backups(memory.settings)
    restore.check(stored)
    mine = " ".join(text for _, _, text in archives.texts_of(stored, group))
    assert "quendler" not in mine.casefold()
    assert "and the lift?" in mine
    assert "Zoë Quendler is theirs" in archived(tmp_path)
    assert (await memory.erasure.verify(receipt)).clean
    again = await memory.add("A letter came for Zoë Quendler")
    found = await memory.erasure.verify(receipt_of(receipt.to_json()))
    assert found.signed
    assert again.memory_id in {each.id for each in found.findings}


async def test_accepted_aliases_of_a_name_are_erased_with_it(
    memory: GraphMemory,  # noqa: F811
    group: str,
    driver: AsyncDriver,
) -> None:
    learning = other(memory, learn=("entities", "proposals"))
    named = await memory.add("They met Robert Brown, also known as Bob, at the ferry.")
    short = await memory.add("The violin of Bob is in Zermatt.")
    await memory.add("Roberta Brown sings.")
    await learning.maintenance.run(groups=[group])
    assert await chosen(memory, "Robert Brown") == {named.memory_id}
    (proposal,) = (await memory.proposals.list(kinds=["same_as"])).proposals
    await memory.proposals.accept([proposal.proposal_id])
    for name in ("robert brown", "Bob"):
        found = await memory.erasure.of_name(name)
        assert {each.memory_id for each in found.memories} == {named.memory_id, short.memory_id}
        assert [each.lower() for each in sorted(found.names)] == sorted(["bob", "robert brown"])
    receipt = await memory.erasure.erase(name="Robert Brown", confirm="ERASE 2")
    assert receipt.remaining == []
    assert len(receipt.names) == 2
    left = await held_by(driver, group)
    assert "roberta brown sings" in left
    assert present(["robert brown", "bob"], left) == []


async def test_a_purged_memory_with_the_name_goes_as_well(
    memory: GraphMemory,  # noqa: F811
    group: str,
    clock: Clock,
    driver: AsyncDriver,
) -> None:
    purged = await memory.add("Zoë Quendler left long ago")
    await memory.delete(purged.memory_id)
    clock.advance(days=memory.settings.soft_delete_retention_days + 1)
    await memory.maintenance.run(groups=[group])
    records, _, _ = await driver.execute_query(
        "MATCH (m:PurgedMemory {uuid: $id}) RETURN m.content AS content", id=purged.memory_id
    )
    assert [each["content"] for each in records] == ["Zoë Quendler left long ago"]
    await memory.add("Zoë Quendler is back")
    receipt = await memory.erasure.erase(name=NAME, confirm="ERASE 1")
    assert "quendler" not in await held_by(driver, group)
    assert purged.memory_id in receipt.memory_ids
    assert {each.place: each.removed for each in receipt.places}["purged memories"] == 1


async def test_each_erasure_removes_waiting_writes_with_erased_words(
    memory: GraphMemory,  # noqa: F811
    group: str,
) -> None:
    (word,) = tokens(1, f"{group} 9")
    first = await memory.add(f"The key is {word}")
    second = await memory.add("The harbour office opens at nine")
    person = await memory.add("Zoë Quendler prefers green tea")
    strict = other(memory, review_authorities=(Authority.AGENT,))
    for write in (
        strict.add(f"They wrote down {word}"),
        strict.update(first.memory_id, content="The key is lost"),
        strict.add("Zoë Quendler has the key", title="A key"),
        strict.update(second.memory_id, content="The harbour office opens at ten"),
    ):
        with pytest.raises(PendingReviewError):
            await write
    assert len(await memory.pending.ids()) == 4

    async def waiting() -> list[str]:
        return sorted(each.content for each in (await memory.pending.list()).writes)

    receipt = await memory.erasure.erase([first.memory_id])
    places = {each.place: each for each in receipt.places}
    assert (places["waiting writes"].found, places["waiting writes"].removed) == (2, 2)
    assert await waiting() == ["The harbour office opens at ten", "Zoë Quendler has the key"]
    assert (await memory.erasure.verify(receipt)).clean

    receipt = await memory.erasure.erase(name=NAME, confirm="ERASE 1")
    assert receipt.memory_ids == (person.memory_id,)
    assert await waiting() == ["The harbour office opens at ten"]
    with pytest.raises(PendingReviewError):
        await strict.add("Zoë Quendler lost the key")
    found = await memory.erasure.verify(receipt)
    assert {each.place for each in found.findings} == {"waiting writes"}


async def test_a_confirmation_of_another_number_is_refused_with_the_new_one(
    memory: GraphMemory,  # noqa: F811
) -> None:
    await memory.add("Zoë Quendler prefers green tea")
    given = await confirmation(memory)
    await memory.add("Zoë Quendler sings")
    for wrong in (given, "", "ERASE", "DELETE ALL"):
        with pytest.raises(ConfirmationRequiredError, match="ERASE 2"):
            await memory.erasure.erase(name=NAME, confirm=wrong)
    assert len(await chosen(memory)) == 2
    assert len((await memory.erasure.erase(name=NAME, confirm="ERASE 2")).memory_ids) == 2
    assert await chosen(memory) == set()


async def test_wrong_names_and_selections_are_refused(
    memory: GraphMemory,  # noqa: F811
) -> None:
    added = await memory.add("The gate is shut")
    for name in ("", "  ", "…", "x" * 257):
        with pytest.raises(InvalidArgumentError, match=r"^name="):
            await memory.erasure.of_name(name)
    with pytest.raises(InvalidArgumentError, match="no memory of the group has this name"):
        await memory.erasure.erase(name=NAME, confirm="ERASE 0")
    with pytest.raises(InvalidArgumentError, match="give either it"):
        await memory.erasure.erase([added.memory_id], name="gate")
    with pytest.raises(InvalidArgumentError, match="give either it"):
        await memory.erasure.erase(conversation_id="c", name="gate")


async def test_a_caller_under_review_erases_no_names_and_no_group(
    memory: GraphMemory,  # noqa: F811
) -> None:
    await memory.add("Zoë Quendler prefers green tea")
    strict = other(memory, review_authorities=(Authority.TOOL,)).acting_for(
        Grant("bot/7", Scope.ADMIN, None, Authority.TOOL)
    )
    with pytest.raises(ForbiddenError):
        await strict.erasure.erase(name=NAME, confirm="ERASE 1")
    with pytest.raises(ForbiddenError):
        await strict.erasure.erase_all(confirm="DELETE ALL")
    assert len(await chosen(memory)) == 1


async def test_all_of_a_group_is_erased_with_a_receipt(
    memory: GraphMemory,  # noqa: F811
    group: str,
    driver: AsyncDriver,
    clock: Clock,
) -> None:
    words = tokens(1200, f"{group} 10")
    stored = [
        each
        for part in (words[:600], words[600:])
        for each in await memory.add_many(
            [{"content": f"Vault {word} holds a letter."} for word in part]
        )
    ]
    ids = [each.memory_id or "" for each in stored]
    theirs = await memory.add(f"Their vault is {words[0]}", group_id=f"{group}_2")
    await memory.update(ids[0], content=f"The vault {words[0]} moved.")
    await memory.relations.add(ids[0], ids[1], fact=f"{words[0]} is above {words[1]}")
    await memory.delete(ids[2])
    clock.advance(days=memory.settings.soft_delete_retention_days + 1)
    await memory.maintenance.run(groups=[group])  # purges it
    await memory.delete(ids[3])
    await memory.retrieve(f"vault {words[4]}")
    strict = other(memory, review_authorities=(Authority.AGENT,))
    with pytest.raises(PendingReviewError):
        await strict.add("This waits")
    gone = await memory.add("This is gone")
    await memory.erasure.erase([gone.memory_id])  # leaves a tombstone
    steps: list[tuple[int, int]] = []

    for wrong in ("", "yes", "ERASE 1200"):
        with pytest.raises(ConfirmationRequiredError, match="DELETE ALL"):
            await memory.erasure.erase_all(confirm=wrong)
    receipt = await memory.erasure.erase_all(
        confirm="DELETE ALL", on_progress=lambda done, of: steps.append((done, of))
    )

    assert sum(done for done, _ in steps) == 1200
    assert {of for _, of in steps} == {1200}
    assert len(steps) > 1
    assert set(receipt.memory_ids) == set(ids)
    assert (receipt.selected, receipt.remaining) == ("group", [])
    places = {each.place: each for each in receipt.places}
    assert (places["memories"].found, places["memories"].removed) == (1199, 1199)
    assert places["purged memories"].removed == 1
    for place in ("versions", "relations", "sessions", "waiting writes", "tombstones", "vectors"):
        assert places[place].removed == places[place].found > 0, place
    assert present(words, receipt.to_json()) == []
    assert present(words, await everything(driver)) == words[:1]
    assert (await memory.get(theirs.memory_id, group_id=f"{group}_2")).content.endswith(words[0])
    left = {each.place: each.references for each in receipt.places if each.references}
    assert set(left) <= {"records for undo"}
    assert (await memory.erasure.verify(receipt, words=words[1:])).clean
    await memory.add("This is gone")  # tombstones are gone as well
    with pytest.raises(GraphMemoryError) as caught:
        await memory.get(ids[5])
    assert isinstance(caught.value, NotFoundError)


async def test_the_backups_lose_an_erased_group(
    memory: GraphMemory,  # noqa: F811
    group: str,
    tmp_path: Path,
) -> None:
    words = tokens(3, f"{group} 11")
    for word in words:
        await memory.add(f"Vault {word} holds a letter.")
    await memory.backups.create()
    receipt = await memory.erasure.erase_all(confirm="DELETE ALL")
    (backup,) = [each for each in receipt.places if each.place.startswith("backup ")]
    assert backup.remaining == 3
    (rewritten,) = await memory.erasure.prune_backups()
    assert rewritten.memories_removed == 3
    assert (await memory.erasure.verify(receipt, words=words)).clean


async def test_an_empty_group_is_erased_with_a_receipt(
    memory: GraphMemory,  # noqa: F811
) -> None:
    receipt = await memory.erasure.erase_all(confirm="DELETE ALL")
    assert (receipt.memory_ids, receipt.remaining) == ((), [])
    assert (await memory.erasure.verify(receipt)).clean
