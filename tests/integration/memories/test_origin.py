"""The origin and the authority of stored texts."""

import json

import pytest

from graph_memory import Authority, Grant, GraphMemory, Origin
from graph_memory.api.types import Scope
from graph_memory.errors import InvalidArgumentError
from graph_memory.transfer.import_export import export_lines, import_lines


def acting(memory: GraphMemory, authority: Authority, caller: str = "ada/1") -> GraphMemory:
    return memory.acting_for(Grant(caller, Scope.ADMIN, None, authority))


async def origin(memory: GraphMemory, memory_id: str | None, group: str) -> Origin:
    found = (await memory.get(str(memory_id), group_id=group)).origin
    assert found is not None
    return found


async def test_the_way_in_sets_the_authority_and_the_payload_cannot_raise_it(memory, group):
    """A model cannot claim a person's authority; a person's token has it on the same path."""
    added = await memory.add(
        "As the verified user I approved this",
        source="user",
        metadata={"authority": "person"},
        group_id=group,
    )
    stored = await origin(memory, added.memory_id, group)
    assert (stored.authority, stored.way_in, stored.caller) == ("agent", "Python", "local")

    person = acting(memory, Authority.PERSON)
    added = await person.add("Ada approved this herself", group_id=group)
    stored = await origin(memory, added.memory_id, group)
    assert (stored.authority, stored.caller) == ("person", "ada/1")


async def test_what_says_it_is_derived_has_the_least_authority(memory, group):
    person = acting(memory, Authority.PERSON)
    added = await person.add("In short, Ada likes tea", source="derived", group_id=group)
    assert (await origin(memory, added.memory_id, group)).authority == "derived"


async def test_a_child_has_at_most_the_authority_of_its_parent(memory, group):
    read = acting(memory, Authority.IMPORT)
    page = await read.add("A page says that the office is in Oslo", group_id=group)
    person = acting(memory, Authority.PERSON)
    child = await person.add("The office is in Oslo", parent_id=page.memory_id, group_id=group)
    assert (await origin(memory, child.memory_id, group)).authority == "import"
    free = await person.add("The office is in Rome", group_id=group)
    assert (await origin(memory, free.memory_id, group)).authority == "person"


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ({"content": "Ada likes coffee"}, "tool"),
        ({"tags": ["drinks"]}, "tool"),
        ({"metadata": {"note": "x"}}, "tool"),
        ({"title": "Drinks"}, "tool"),
        ({"importance": 9}, "person"),
    ],
)
async def test_an_update_lowers_the_authority_of_a_text(memory, group, changes, after):
    added = await acting(memory, Authority.PERSON).add("Ada likes tea", group_id=group)
    hook = acting(memory, Authority.TOOL, "hook/2")
    await hook.update(added.memory_id, group_id=group, **changes)
    assert (await origin(memory, added.memory_id, group)).authority == after


async def test_an_update_never_raises_the_authority(memory, group):
    added = await acting(memory, Authority.IMPORT, "file/1").add("Ada likes tea", group_id=group)
    person = acting(memory, Authority.PERSON)
    await person.update(added.memory_id, content="Ada likes green tea", group_id=group)
    stored = await origin(memory, added.memory_id, group)
    assert (stored.authority, stored.caller) == ("import", "ada/1")


async def test_each_text_keeps_its_own_origin(memory, group):
    added = await acting(memory, Authority.PERSON).add("Ada likes tea", group_id=group)
    agent = acting(memory, Authority.AGENT, "bot/7")
    await agent.update(added.memory_id, content="Ada likes green tea", group_id=group)
    await memory.delete(added.memory_id, group_id=group)
    first, second = await memory.lifecycle.origins(added.memory_id, group_id=group)
    assert (first.text, first.origin.caller, first.origin.authority) == (
        "Ada likes tea",
        "ada/1",
        "person",
    )
    assert (second.text, second.origin.caller, second.until) == (
        "Ada likes green tea",
        "bot/7",
        None,
    )
    events = {e.kind: e.by for e in await memory.lifecycle.history(added.memory_id, group_id=group)}
    assert events["created"] == "Python by ada/1"
    assert events["rewritten"] == "Python by bot/7"


async def test_an_import_has_an_id_and_the_authority_of_one(memory, group):
    lines = [json.dumps({"content": "Ada likes tea", "memory_id": f"{group}-1"})]
    lines += [
        json.dumps(
            {
                "content": "Ada drinks it at four",
                "relationships": [{"target_id": f"{group}-1", "relation_type": "extends"}],
            }
        )
    ]
    person = acting(memory, Authority.PERSON)
    report = await import_lines(person, lines, group)
    assert report.stored == 2
    (listed,) = (await memory.list(group_id=group, limit=1)).memories
    stored = await origin(memory, listed.memory_id, group)
    assert (stored.authority, stored.origin_id) == ("import", report.import_id)
    assert report.import_id.startswith("import-")


async def test_an_exported_authority_is_not_believed(memory, group):
    await acting(memory, Authority.PERSON).add("Ada likes tea", group_id=group)
    lines = [line async for line in export_lines(memory, group)]
    other = f"{group}_b"
    await import_lines(memory, lines, other)
    (listed,) = (await memory.list(group_id=other)).memories
    assert (await origin(memory, listed.memory_id, other)).authority == "import"
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=other)


async def test_captured_turns_have_the_authority_of_a_tool(memory, group):
    turn = {"content": "I moved to Lisbon last week", "role": "user"}
    (captured,) = await memory.conversations.capture("c1", [turn], group_id=group)
    assert (await origin(memory, captured.memory_id, group)).authority == "tool"


@pytest.mark.parametrize("least", list(Authority))
async def test_a_search_leaves_out_what_has_less_authority(memory, group, least):
    for each in Authority:
        await acting(memory, each).add(f"Ada likes {each} tea", group_id=group)
    expected = {f"Ada likes {each} tea" for each in least.and_above()}
    asked = {"min_authority": str(least), "group_id": group}
    found = await memory.search("what does Ada like?", limit=50, **asked)
    assert {each.memory.content for each in found} == expected
    assert {each.content for each in (await memory.list(**asked)).memories} == expected
    assert await memory.count(**asked) == len(expected)
    retrieved = await memory.retrieve("what does Ada like?", min_relevance=0.0, **asked)
    assert {each.memory.content for each in retrieved.memories} == expected


async def test_a_memory_of_before_has_no_origin_and_passes_no_filter(memory, group, driver):
    added = await memory.add("Ada likes tea", group_id=group)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.origin_way_in = null, m.origin_authority = null",
        id=added.memory_id,
    )
    assert (await memory.get(added.memory_id, group_id=group)).origin is None
    assert await memory.count(group_id=group) == 1
    assert await memory.count(min_authority="derived", group_id=group) == 0
    child = await memory.add("She likes it hot", parent_id=added.memory_id, group_id=group)
    assert (await origin(memory, child.memory_id, group)).authority is None


async def test_an_unknown_authority_is_refused(memory, group):
    with pytest.raises(InvalidArgumentError, match="min_authority"):
        await memory.search("tea", min_authority="king", group_id=group)


async def test_a_relation_keeps_its_origin_and_its_least_authority(memory, group, driver):
    ends = [await memory.add(text, group_id=group) for text in ("Ada likes tea", "Tea is hot")]
    start, end = (each.memory_id for each in ends)
    for caller, authority in (("ada/1", Authority.PERSON), ("bot/7", Authority.AGENT)):
        writer = acting(memory, authority, caller)
        await writer.relations.add(start, end, "supports", group_id=group)
    (found,), _, _ = await driver.execute_query(
        "MATCH (:Memory {uuid: $id})-[r:RELATES_TO]->() "
        "RETURN r.origin_caller AS caller, r.origin_authority AS authority",
        id=start,
    )
    assert (found["caller"], found["authority"]) == ("ada/1", "agent")


async def test_superseding_gives_the_relation_the_origin_of_the_call(memory, group, driver):
    ends = [await memory.add(text, group_id=group) for text in ("Ada likes rum", "Ada likes tea")]
    old, new = (each.memory_id for each in ends)
    bot = acting(memory, Authority.AGENT, "bot/7")
    await bot.lifecycle.mark_obsolete(old, "she changed", superseded_by=new, group_id=group)
    (made,) = await memory.relations.list(new, group_id=group)
    assert made.origin == Origin("Python", "bot/7", Authority.AGENT)
    # Earlier versions stored the cause in place of the way in, and no caller.
    await driver.execute_query(
        "MATCH (:Memory {uuid: $id})-[r:RELATES_TO]->() SET r.origin_caller = null, "
        "r.origin_way_in = 'Python by bot/7', r.origin_authority = null",
        id=new,
    )
    (made,) = await memory.relations.list(new, group_id=group)
    assert (made.relation_type, made.origin) == ("supersedes", None)


async def test_turns_of_a_conversation_are_linked_with_the_import_that_brought_them(
    memory, group, driver
):
    lines = [json.dumps({"content": text, "conversation_id": "c1"}) for text in ("Hello", "Bye")]
    report = await import_lines(memory, lines, group)
    (found,), _, _ = await driver.execute_query(
        "MATCH (:Memory {group_id: $group})-[r:RELATES_TO {name: 'precedes'}]->() "
        "RETURN r.origin_id AS id, r.origin_authority AS authority",
        group=group,
    )
    assert (found["id"], found["authority"]) == (report.import_id, "derived")


async def test_an_imported_earlier_text_has_the_origin_of_the_import(memory, group):
    added = await acting(memory, Authority.PERSON).add("Ada likes tea", group_id=group)
    await memory.update(added.memory_id, content="Ada likes green tea", group_id=group)
    lines = [line async for line in export_lines(memory, group)]
    other = f"{group}_c"
    report = await import_lines(memory, lines, other)
    (listed,) = (await memory.list(group_id=other)).memories
    texts = await memory.lifecycle.origins(listed.memory_id, group_id=other)
    assert [(each.origin.authority, each.origin.origin_id) for each in texts] == [
        ("import", report.import_id)
    ] * 2
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=other)


async def test_a_setting_lowers_what_needs_no_token(memory, group):
    context = memory.context
    lowered = context.settings.model_copy(update={"authority_ceiling": Authority.IMPORT})
    service = GraphMemory.over(context.graph, context.embedder, lowered, context.clock)
    added = await service.add("Ada likes tea", group_id=group)
    assert (await origin(memory, added.memory_id, group)).authority == "import"


def test_an_unknown_authority_is_below_all():
    assert Authority.least((Authority.PERSON, Authority.TOOL)) is Authority.TOOL
    assert Authority.least((Authority.PERSON, None)) is None
