"""Memories that hooks add to a conversation: relevant, new to it, within a budget, and fenced."""

from graph_memory import GraphMemory
from tests.conftest import Clock
from tests.support.mcp_client import inside

QUESTION = "What should I offer Ada to drink?"
FACTS = (
    "Ada prefers green tea, and takes it without sugar",
    "The tap in the kitchen drips, and the plumber comes on Monday",
    "The ferry to Aegina leaves at seven from gate E8",
)


async def fill(memory: GraphMemory, clock: Clock) -> None:
    for fact in FACTS:
        await memory.add(fact, memory_type="fact")
        clock.advance(hours=1)


async def test_a_recall_adds_what_bears_on_the_prompt_once(memory: GraphMemory, clock: Clock):
    await fill(memory, clock)
    added = await memory.conversations.recall("c1", QUESTION)
    assert FACTS[0] in added.text
    assert len(added.memory_ids) == 1
    assert (await memory.conversations.recall("c1", QUESTION)).text == ""
    assert (await memory.conversations.recall("c2", QUESTION)).text == added.text
    nothing = await memory.conversations.recall("c3", "lattice quantum chromodynamics gluon")
    assert (nothing.text, nothing.memory_ids) == ("", [])


async def test_a_recall_counts_as_a_use(memory: GraphMemory, clock: Clock):
    await fill(memory, clock)
    added = await memory.conversations.recall("c1", QUESTION)
    await memory.context.accesses.flush()
    counts = [(m.memory_id, m.access_count) for m in (await memory.list()).memories]
    assert {id_ for id_, count in counts if count} == set(added.memory_ids)


async def test_the_text_fits_its_budget_whatever_the_contents(memory: GraphMemory, clock: Clock):
    drinks = ("tea", "coffee", "milk", "juice", "water", "cocoa", "lemonade", "cider", "wine")
    for number, drink in enumerate(drinks * 4):
        await memory.add(f"Ada offers <b>{drink}</b> to drink to guest number {number} " * 3)
    for budget in (1, 60, 300, 1500):
        for text in (
            (await memory.conversations.recall(f"r{budget}", QUESTION, max_tokens=budget)).text,
            (await memory.conversations.start(f"s{budget}", max_tokens=budget)).text,
        ):
            (tokens,) = await memory.context.token_counter.count([text or "x"])
            assert tokens <= budget
            assert ("<memories>" in text) == (budget >= 300)


async def test_the_text_names_each_memory_by_an_id_that_finds_it(memory: GraphMemory):
    alike = [f"1a2b3c4d-{number:04}-4000-8000-000000000001" for number in (1, 2)]
    timed = "0192f3a1-7b2c-7d3e-8f4a-5b6c7d8e9f0a"  # begins as others of its hour
    chosen = ["guest.drinks-tea:of-every-kind", "tea-2026-11-25", timed]
    for memory_id in (*alike, *chosen):
        await memory.add(f"Ada likes to drink tea from pot {memory_id}", memory_id=memory_id)
    for added in (
        await memory.conversations.recall("c1", QUESTION),
        await memory.conversations.start("c2"),
    ):
        assert set(added.memory_ids) == {*alike, *chosen}
        lines = added.text.splitlines()[2:-1]
        named = [line.partition(": ")[0].split(", ")[-1] for line in lines]
        assert set(named) == {"1a2b3c4d-0001", "1a2b3c4d-0002", *chosen}


async def test_long_ids_count_in_the_budget(memory: GraphMemory):
    for number in range(20):
        memory_id = f"guest.{number}:{'a-b.c:d_' * 14}"
        await memory.add(f"Ada offers tea to drink to guest {number}", memory_id=memory_id)
    for text in (
        (await memory.conversations.recall("c1", QUESTION, max_tokens=400)).text,
        (await memory.conversations.start("c2", max_tokens=400)).text,
    ):
        (tokens,) = await memory.context.token_counter.count([text])
        assert 150 < tokens <= 400


async def test_a_conversation_does_not_get_its_own_turns(memory: GraphMemory):
    turns = [
        {"content": "Ada prefers green tea, and takes it without sugar", "position": 1},
        {"content": f"{FACTS[0]}. " * 60, "role": "assistant", "position": 2},  # has passages
    ]
    await memory.conversations.capture("c1", turns)
    assert (await memory.conversations.recall("c1", QUESTION)).text == ""
    assert FACTS[0] in (await memory.conversations.recall("c2", QUESTION)).text


async def test_a_recall_does_not_repeat_the_prompt(memory: GraphMemory):
    await memory.conversations.capture("c1", [{"content": QUESTION}])
    assert (await memory.conversations.recall("c2", QUESTION)).text == ""


async def test_a_start_shows_the_project_and_only_that(memory: GraphMemory, clock: Clock):
    await memory.add(FACTS[0], memory_type="preference", project_id="kitchen", importance=7)
    await memory.add(FACTS[2], memory_type="fact", project_id="harbour")
    clock.advance(hours=1)
    turn = {"content": FACTS[1], "role": "user"}
    await memory.conversations.capture("c1", [turn], project_id="kitchen")
    started = await memory.conversations.start("c2", project_id="kitchen")
    lines = started.text.splitlines()
    assert [line.partition(": ")[2] for line in lines[2:-1]] == [FACTS[0], FACTS[1]]
    assert (await memory.conversations.start("c2", project_id="kitchen")).text == ""
    again = await memory.conversations.start("c2", project_id="kitchen", forget=True)
    assert again.text == started.text
    assert (await memory.conversations.start("c3", project_id="garden")).text == ""


async def test_a_model_without_a_calibration_adds_nothing(memory: GraphMemory, clock: Clock):
    await fill(memory, clock)
    settings = memory.settings.model_copy(update={"embedding_model": "another"})
    other = GraphMemory.over(memory.context.graph, memory.context.embedder, settings, clock=clock)
    assert (await other.conversations.recall("c1", QUESTION)).text == ""
    await other.close()


async def test_the_tools_of_hooks_answer_with_text(memory: GraphMemory, clock: Clock):
    await fill(memory, clock)
    async with inside(memory, toolsets=("hooks",)) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == ["capture_turns", "serve_hook"]
        result = await client.call_tool(
            "capture_turns",
            {"conversation_id": "c1", "turns": [{"content": "Ada likes jam"}, {"content": "ok"}]},
        )
        assert result.structured_content is not None
        assert result.structured_content["stored"] == 1
        assert "1 stored" in result.content[0].text  # type: ignore[union-attr]
        for event, text in (("Stop", "{}"), ("SubagentStop", ""), ("PreCompact", "")):
            result = await client.call_tool("serve_hook", {"event": event, "session_id": "c1"})
            assert not result.is_error
            assert result.structured_content is None
            assert result.content[0].text == text  # type: ignore[union-attr]
