"""Corrections hold: a replaced, reversed, retracted, partly superseded or ended statement.

Each shape is applied, every derived thing is built again, and a search must then answer with what
holds, while the history keeps what was. Statements that were not corrected are the control.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError, NotFoundError
from tests.conftest import TODAY, Clock
from tests.support.mcp_client import call, inside, refused

COMPOUND = "Mirela works at Tarnholm, lives in Quessburg, and keeps two ferrets."
CONTROL = "Mirela plays the theorbo."

Correct = Callable[[GraphMemory, str, Clock], Awaitable[object]]


async def _replace(memory: GraphMemory, wrong: str, clock: Clock) -> object:
    new = await memory.add("Mirela's home is Vandrel.")
    return await memory.lifecycle.mark_obsolete(wrong, "moved", superseded_by=new.memory_id)


async def _reverse(memory: GraphMemory, wrong: str, clock: Clock) -> object:
    return await memory.update(wrong, content="Mirela does not eat walnuts.")


async def _retract(memory: GraphMemory, wrong: str, clock: Clock) -> object:
    return await memory.lifecycle.mark_obsolete(wrong, "it was never true")


async def _supersede_part(memory: GraphMemory, wrong: str, clock: Clock) -> object:
    return await memory.update(wrong, supersede_part="lives in Quessburg", content="left the city")


async def _bound(memory: GraphMemory, wrong: str, clock: Clock) -> object:
    new = await memory.add("Mirela's title is dean.", valid_at=clock.now)
    return await memory.relations.add(new.memory_id, wrong, "contradicts", resolve="newer")


SHAPES: dict[str, tuple[str, Correct, str, str | None]] = {
    "replacement": ("Mirela's home is Quessburg.", _replace, "Quessburg", "Vandrel"),
    "reversal": ("Mirela eats walnuts.", _reverse, "eats walnuts", "not eat walnuts"),
    "retraction": ("Mirela has a sister named Oltea.", _retract, "Oltea", None),
    "partial supersession": (COMPOUND, _supersede_part, "Quessburg", "left the city"),
    "bounded validity": ("Mirela's title is lector.", _bound, "lector", "dean"),
}


async def _rebuilt(memory: GraphMemory, group: str) -> None:
    """Build again all that is derived from contents."""
    await memory.embeddings.rebuild(group_id=group)
    await memory.maintenance.run(groups=[group], full=True)


async def _recalled(memory: GraphMemory, question: str) -> str:
    found = await memory.search(question, counted=False)
    delivered = (await memory.retrieve(question)).memories
    return "\n".join(hit.memory.content for hit in (*found, *delivered))


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_correction_survives_a_reindex(
    memory: GraphMemory, group: str, clock: Clock, shape: str
) -> None:
    text, correct, old, new = SHAPES[shape]
    wrong = (await memory.add(text)).memory_id
    await memory.add(CONTROL)
    assert old in await _recalled(memory, text)  # the control of the absence below
    clock.advance(days=1)
    before = clock.now
    clock.advance(days=1)
    await correct(memory, wrong, clock)
    await _rebuilt(memory, group)

    after = await _recalled(memory, f"{text} What is known of Mirela?")
    assert old not in after
    assert new is None or new in after
    assert "theorbo" in after
    past = await memory.search(text, known_at=before, counted=False)
    assert any(old in hit.memory.content for hit in past)
    assert await memory.lifecycle.history(wrong)


async def test_the_rest_of_a_compound_memory_stands(
    memory: GraphMemory, group: str, clock: Clock, driver: AsyncDriver
) -> None:
    employer = await memory.add("Tarnholm is a shipyard")
    stored = await memory.add(
        COMPOUND, title="About Mirela", tags=["people"], valid_at=TODAY - timedelta(days=90)
    )
    await memory.relations.add(stored.memory_id, employer.memory_id, "relates_to")
    before = clock.now
    clock.advance(days=1)
    changed, embedded = await memory.update(stored.memory_id, supersede_part="lives in Quessburg")
    assert embedded
    assert changed.content == "Mirela works at Tarnholm, and keeps two ferrets."
    assert changed.memory_id == stored.memory_id
    assert (changed.valid_at, changed.invalid_at) == (stored.valid_at, None)
    assert changed.tags == ["people"] or changed.tags == ("people",)
    (relation,) = await memory.relations.list(stored.memory_id)
    assert relation.to_id == employer.memory_id
    assert (await memory.get(stored.memory_id, known_at=before)).content == COMPOUND
    now = await memory.search("Where does Mirela live? Quessburg", counted=False)
    assert all("Quessburg" not in hit.memory.content for hit in now)
    names = await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) RETURN m.name AS name", id=stored.memory_id
    )
    assert names.records[0]["name"] == "About Mirela"


async def test_a_title_with_the_superseded_words_goes(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    stored = await memory.add(COMPOUND, title="Mirela of quessburg")
    await memory.update(stored.memory_id, supersede_part="Quessburg", content="Vandrel")
    names = await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) RETURN m.name AS name", id=stored.memory_id
    )
    assert "uessburg" not in names.records[0]["name"]


async def test_two_corrections_at_once_both_hold(memory: GraphMemory) -> None:
    stored = await memory.add(COMPOUND)
    await asyncio.gather(
        memory.update(stored.memory_id, supersede_part="Tarnholm", content="Osterby"),
        memory.update(stored.memory_id, supersede_part="two ferrets", content="one ferret"),
    )
    content = (await memory.get(stored.memory_id)).content
    assert content == "Mirela works at Osterby, lives in Quessburg, and keeps one ferret."


async def test_a_refused_part_changes_nothing(memory: GraphMemory) -> None:
    stored = await memory.add(COMPOUND)
    for part in ("Rome", "e", COMPOUND, ", "):
        with pytest.raises(InvalidArgumentError, match=r"^supersede_part="):
            await memory.update(stored.memory_id, supersede_part=part, importance=9)
    with pytest.raises(NotFoundError):
        await memory.update("missing", supersede_part="Rome")
    unchanged = await memory.get(stored.memory_id)
    assert (unchanged.content, unchanged.importance) == (COMPOUND, stored.importance)


async def test_an_agent_corrects_a_part(memory: GraphMemory) -> None:
    async with inside(memory) as client:
        added = await call(client, "add_memory", content=COMPOUND)
        changed = await call(
            client,
            "update_memory",
            memory_id=added["memory_id"],
            supersede_part="Quessburg",
            content="Vandrel",
        )
        assert changed["memory"]["content"] == COMPOUND.replace("Quessburg", "Vandrel")
        text, _ = await refused(
            client, "update_memory", memory_id=added["memory_id"], supersede_part="Quessburg"
        )
        assert "supersede_part='Quessburg' is not allowed: the content has no such words" in text
