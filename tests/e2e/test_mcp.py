"""The tools, resources and prompts as an agent meets them, in both protocol eras."""

import dataclasses
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from mcp import Client, MCPError

from graph_memory import GraphMemory
from graph_memory.domain.models import Memory
from graph_memory.server import opening
from graph_memory.server.app import TOOLSETS
from graph_memory.server.tools.compat import toolset as compat
from tests.support.mcp_client import ERAS, LUCENE, call, inside, refused, serving, text


@pytest_asyncio.fixture
async def url(memory: GraphMemory) -> AsyncIterator[str]:
    async with serving(memory) as base:
        yield base


@pytest.mark.parametrize("era", ERAS)
async def test_a_memory_goes_through_its_life_over_http(url: str, era: Any):
    async with Client(f"{url}/mcp", mode=era) as client:
        added = await call(
            client, "add_memory", content="Ada prefers green tea", tags=["Ada"], importance=12
        )
        assert added["memory"]["importance"] == 10
        assert added["classification"] == {"source": "user"}
        assert added["relations_created"] == 0
        memory_id = added["memory_id"]

        (hit,) = (await call(client, "search_memory", query="what does Ada drink?"))["results"]
        assert hit["memory_id"] == memory_id[:8]
        assert {"similarity", "score", "relevance"} < hit.keys()

        cup = await call(
            client,
            "add_memory",
            content="Her cup is blue",
            relationships=[{"target_id": memory_id, "relation_type": "related_to"}],
        )
        assert cup["relations_created"] == 1
        got = await call(client, "get_memory", memory_id=memory_id, include_relations=True)
        assert got["content"] == "Ada prefers green tea"
        assert [relation["from_id"] for relation in got["relations"]] == [cup["memory_id"]]

        changed = await call(client, "update_memory", id=memory_id, content="Ada prefers coffee")
        assert changed["re_embedded"]
        assert changed["memory"]["content"] == "Ada prefers coffee"

        await call(client, "touch_memory", node_id=memory_id)
        listed = await call(client, "list_memories", limit=1)
        assert [memory["memory_id"] for memory in listed["results"]] == [memory_id[:8]]
        rest = await call(client, "list_memories", cursor=listed["next_cursor"])
        assert [memory["memory_id"] for memory in rest["results"]] == [cup["memory_id"][:8]]
        assert "next_cursor" not in rest

        deleted = await call(client, "delete_memory", memory_id=memory_id)
        assert deleted["recoverable_until"] == "2026-08-30T12:00:00.000Z"
        said, data = await refused(client, "get_memory", memory_id=memory_id)
        assert data["code"] == "not_found"
        assert "recover_soft_deleted restores it" in said
        said, _ = await refused(client, "get_memory", memory_id="missing")
        assert "a list return ids" in said


@pytest.mark.parametrize("era", ERAS)
async def test_a_refusal_has_a_code_a_sentence_and_the_existing_id(url: str, era: Any):
    async with Client(f"{url}/mcp", mode=era) as client:
        first = await call(client, "add_memory", content="once")
        said, data = await refused(client, "add_memory", content="once")
        assert data["code"] == "duplicate"
        assert data["existing_id"] == first["memory_id"]
        assert first["memory_id"] in said


@pytest.mark.parametrize("era", ERAS)
async def test_a_conversation_is_given_what_it_lacks(url: str, era: Any):
    async with Client(f"{url}/mcp", mode=era) as client:
        added = await call(client, "add_memory", content="Ada prefers green tea")
        memory_id = added["memory_id"]
        question = {"query": "what does Ada drink?", "detail": "full"}
        first = await call(client, "retrieve_memories", **question)
        (given_one,) = first["memories"]
        assert given_one["content"] == "Ada prefers green tea"
        assert (given_one["status"], given_one["distance"]) == ("new", 0)
        assert {"score", "components", "similarity", "memory_type"} < given_one.keys()
        assert first["tokens_used"] > given_one["tokens"] > 0
        assert first["anchors"] == [memory_id]

        session = first["session_id"]
        again = await client.call_tool(
            "retrieve_memories", {"query": "Ada's tea", "session_id": session}
        )
        assert again.structured_content is not None
        assert again.structured_content["skipped_loaded"] == [memory_id[:8]]
        assert session in text(again)
        await call(client, "update_memory", memory_id=memory_id, content="Ada prefers coffee")
        changed = await client.call_tool(
            "retrieve_memories", {"query": "Ada", "session_id": session, "detail": "full"}
        )
        assert changed.structured_content is not None
        assert changed.structured_content["changed"] == [
            {"memory_id": memory_id, "reason": "updated", "superseded_by": None}
        ]
        assert f"{memory_id[:8]} (updated)" in text(changed)
        assert "Ada prefers coffee" in text(changed)

        state = await call(client, "get_context_state", session_id=session)
        assert [m["memory_id"] for m in state["loaded"]] == [memory_id]
        assert state["total_tokens"] == changed.structured_content["total_tokens"]
        assert len(state["history"]) == 3
        await call(client, "get_context_state", session_id=session, reset=True)
        assert (await call(client, "get_context_state", session_id=session))["loaded"] == []

        judged = await call(
            client, "memory_feedback", memory_id=memory_id, useful=True, query="Ada"
        )
        assert (judged["taught"], judged["useful"], judged["lessons"]) == (True, 1, 1)


@pytest.mark.parametrize("named", [True, False])
async def test_what_an_agent_uses_strengthens_relations_that_it_then_sees(
    memory: GraphMemory, named: bool
):
    """A use without a session is of the last one, if the server has a single client."""
    tea = (await memory.add("Ada prefers green tea")).memory_id
    tin = (await memory.add("Ada keeps green tea in the blue tin")).memory_id
    await memory.relations.add(tea, tin, "references")
    shown = {"memory_id": tea, "include_relations": True}
    async with inside(memory) as client:
        session = (await call(client, "retrieve_memories", query="Ada's tea"))["session_id"]
        used = {"session_id": session} if named else {}
        (before,) = (await call(client, "get_memory", **shown, **used))["relations"]
        await call(client, "touch_memory", memory_id=tin, **used)
    await memory.maintenance.run(groups=[memory.group(None)], stages=["strengths"])
    async with inside(memory) as client:
        after = await client.call_tool("get_memory", shown)
    assert (before["strength"], "learned" in before) == (0.5, False)
    assert after.structured_content is not None
    (relation,) = after.structured_content["relations"]
    assert relation["strength"] == 0.6
    assert (relation["learned"]["given_strength"], relation["learned"]["uses"]) == (0.5, 1)
    assert "(strength 0.6, given 0.5, uses: 1)" in text(after)


@pytest.mark.parametrize(
    "narrowed",
    [{"project_id": "loom"}, {"tags": ["drinks"]}, {"memory_types": ["preference"]}],
)
async def test_a_conversation_is_given_only_what_its_filters_let_through(
    memory: GraphMemory, narrowed: dict[str, Any]
):
    """A filter holds for what a walk meets, too."""
    wanted = await memory.add(
        "Ada prefers green tea", project_id="loom", tags=("drinks",), memory_type="preference"
    )
    other = await memory.add("Ada keeps green tea in the blue tin", project_id="house")
    await memory.relations.add(wanted.memory_id, other.memory_id, "references")
    async with inside(memory) as client:
        everything = await call(client, "retrieve_memories", query="Ada's tea")
        given = await call(client, "retrieve_memories", query="Ada's tea", **narrowed)
    assert len(everything["memories"]) == 2
    assert [one["memory_id"] for one in given["memories"]] == [wanted.memory_id[:8]]


async def test_the_session_of_the_transport_stands_for_the_conversation(url: str):
    """A client of the older era that names its session on each request need not repeat it."""
    headers = {"accept": "application/json, text/event-stream", "mcp-session-id": "of the client"}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "retrieve_memories", "arguments": {"query": "tea"}},
    }
    async with httpx.AsyncClient() as http:
        answer = await http.post(f"{url}/mcp", json=body, headers=headers)
    assert '"session_id":"of the client"' in answer.text


async def test_search_results_show_every_field_of_a_memory(memory: GraphMemory):
    await memory.add("Ada prefers tea")
    async with inside(memory) as client:
        found = await client.call_tool("search_memory", {"query": "tea", "detail": "full"})
    assert found.structured_content is not None
    (hit,) = found.structured_content["results"]
    fields = {field.name for field in dataclasses.fields(Memory)} - {"brief"}  # it has none
    scores = {"similarity", "score", "relevance", "components", "passage"}
    assert fields | scores == hit.keys()
    assert hit["memory_id"][:8] in text(found)
    assert "Ada prefers tea" in text(found)


async def test_an_agent_reads_whether_anything_is_known(memory: GraphMemory):
    await memory.add("Ada prefers green tea")
    unknown = {"query": "Who flew from Oslo to Reykjavik?"}
    async with inside(memory) as client:
        known = await client.call_tool("search_memory", {"query": "Ada prefers green tea"})
        searched = await client.call_tool("search_memory", unknown)
        cut = await client.call_tool("search_memory", {**unknown, "min_relevance": 0.5})
        retrieved = await client.call_tool("retrieve_memories", unknown)
    said = "Known: no. Nothing found mentions Oslo or Reykjavik."
    assert known.structured_content
    assert known.structured_content["known"] == "yes"
    assert "Known" not in text(known)
    for answer, left_out in ((searched, 0), (cut, 1), (retrieved, 1)):
        fields = answer.structured_content
        assert fields
        assert (fields["known"], fields.get("left_out", 0)) == ("no", left_out)
        assert fields["known_reason"] in said
        assert text(answer).startswith(said)
        assert ("1 less relevant results left out" in text(answer)) is bool(left_out)
        assert ("green tea" in text(answer)) is (left_out == 0)


async def test_links_to_nowhere_are_told_and_the_memory_is_stored(memory: GraphMemory):
    related = {"relationships": [{"target_id": "nowhere"}]}
    async with inside(memory, toolsets=("core", "compat")) as client:
        one = await call(client, "add_memory", content="one", **related)
        many = await call(client, "add_memories", memories=[{"content": "two", **related}])
        said, data = await refused(client, "store_memory", content="three", **related)
        assert (many["stored"], many["refused"]) == (1, 0)
        for added in (one, many["results"][0]):
            error = added["link_error"]
            assert (error["code"], error["argument"]) == (
                "not_found",
                "relationships.0.target_id",
            )
            assert f"Memory '{added['memory_id']}' is stored without" in error["message"]
            assert "memory_relate makes a relation later" in error["message"]
        assert data["code"] == "not_found"
        assert "is stored without relationships.0.target_id='nowhere'" in said
        listed = await call(client, "list_memories")
        assert {m["content"] for m in listed["results"]} == {"one", "two", "three"}


async def test_an_agent_gets_memories_in_the_order_of_time(memory: GraphMemory):
    for city, at in (("Oslo", "2024-05-01"), ("Rome", "2024-03-01")):
        await memory.add(f"Ada flew to {city}", valid_at=at)
    async with inside(memory) as client:
        searched = await client.call_tool("search_memory", {"query": "Oslo", "sort": "time"})
        arguments = {"query": "Did Ada fly to Oslo or Rome first, in which order did she fly?"}
        retrieved = await client.call_tool("retrieve_memories", arguments)
        wrong = await client.call_tool("search_memory", {"query": "Oslo", "sort": "newest"})
    for answer in (searched, retrieved):
        said = text(answer)
        assert 0 < said.index("Rome") < said.index("Oslo")
    assert wrong.is_error
    assert "score, time" in text(wrong) or "score' or 'time" in text(wrong)


async def test_of_many_memories_one_refused_does_not_stop_the_others(memory: GraphMemory):
    given: list[Any] = [
        {"content": "a"},
        {"content": "a"},
        {"content": ""},
        {"content": "b", "colour": 1},
        {},
        "c",
        None,
        ["d"],
    ]
    async with inside(memory) as client:
        answer = await call(client, "add_memories", memories=given)
    assert (answer["stored"], answer["refused"]) == (1, 7)
    codes = [result["error"] and result["error"]["code"] for result in answer["results"]]
    assert codes == [None, "duplicate", *["invalid_argument"] * 6]
    said = answer["results"][5]["error"]["message"]
    assert said == "memories.5='c' is not allowed: it must be an object."
    assert answer["results"][1]["error"]["existing_id"] == answer["results"][0]["memory_id"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search_memory", {"limit": 99}, "limit=99 is not allowed: it must be from 1 to 50."),
        ("search_memory", {"limit": 0}, "limit=0 is not allowed"),
        ("search_memory", {"limit": "many"}, "limit='many' is not allowed"),
        ("search_memory", {"query": " "}, "query=' ' is not allowed"),
        ("search_memory", {"query": None}, "query=None is not allowed: it is required"),
        ("search_memory", {"query": 7}, "query=7 is not allowed"),
        ("search_memory", {"top": 3}, "top=3 is not allowed: unknown argument; valid are"),
        ("search_memory", {"top": 3}, "valid are query, limit, memory_types, tags,"),
        ("search_memory", {"profile": "best"}, "'recall', 'weighted' or 'hybrid'"),
        ("search_memory", {"group_id": "a-b"}, "group_id='a-b' is not allowed"),
        ("search_memory", {"group_id": "a", "user_context": "b"}, "it means group_id"),
        ("search_memory", {"date_from": "0001-01-01T00:00+14:00"}, "date_from="),
        ("list_memories", {"cursor": "x"}, "cursor='x' is not allowed"),
        ("list_memories", {"states": ["ASLEEP"]}, "states.0='ASLEEP'"),
        ("add_memory", {"stability": 6}, "stability=6 is not allowed: it must be from 1 to 5."),
        ("retrieve_memories", {"query": "x", "max_tokens": 0}, "from 1 to 1000000."),
        ("add_memory", {"importance": "high"}, "importance='high' is not allowed"),
        ("add_memory", {"tags": ["a"] * 65}, "tags="),
        ("add_memory", {"metadata": {"uuid": 1}}, "reserved by Graphiti"),
        ("add_memory", {"relationships": [{"target": "y"}]}, "relationships.0.target="),
        ("add_memory", {"content": "x" * 2000}, "content="),
        ("add_memories", {"memories": "all"}, "memories='all' is not allowed"),
        ("update_memory", {"memory_id": "x"}, "give at least one of"),
        ("delete_all_memories", {}, "confirm='DELETE ALL'"),
    ],
)
async def test_bad_arguments_get_a_sentence_with_name_value_and_range(
    memory: GraphMemory, tool: str, arguments: dict[str, Any], said: str
):
    required = {"search_memory": {"query": "x"}, "add_memory": {"content": "x"}}.get(tool, {})
    async with inside(memory, max_content_characters=1000) as client:
        sentence, data = await refused(client, tool, **{**required, **arguments})
        assert said in sentence
        assert "pydantic" not in sentence
        assert data["code"] in (
            "invalid_argument",
            "limit_exceeded",
            "reserved_field",
            "confirmation_required",
        )
        assert (await call(client, "list_memories"))["results"] == []


async def test_clients_that_send_nulls_or_json_text_are_understood(memory: GraphMemory):
    async with inside(memory) as client:
        added = await call(
            client,
            "add_memory",
            content='["a"]',
            tags='["one", "two"]',
            project_id=None,
            metadata='{"page": 3}',
            limit=None,
        )
        assert added["memory"]["content"] == '["a"]'
        assert added["memory"]["tags"] == ["one", "two"]
        assert added["memory"]["metadata"] == {"page": 3}


async def test_user_context_means_group_id(memory: GraphMemory, group: str):
    async with inside(memory) as client:
        added = await call(client, "add_memory", content="x", user_context=f"{group}_2")
        assert added["memory"]["group_id"] == f"{group}_2"
        same = {"group_id": f"{group}_2", "user_context": f"{group}_2"}
        assert len((await call(client, "list_memories", **same))["results"]) == 1


async def test_no_tool_reaches_another_group(memory: GraphMemory, group: str):
    secret = await memory.add("The secret is tea", group_id=f"{group}_other")
    async with inside(memory) as client:
        for query in ("secret tea", f"group_id:{group}_other", f'tea" OR group_key:* {LUCENE}'):
            assert (await call(client, "search_memory", query=query))["results"] == []
        assert (await call(client, "list_memories"))["results"] == []
        for tool in ("get_memory", "touch_memory", "delete_memory"):
            _, data = await refused(client, tool, memory_id=secret.memory_id)
            assert data["code"] == "not_found"
        _, data = await refused(client, "update_memory", memory_id=secret.memory_id, importance=1)
        assert data["code"] == "not_found"
        related = [{"target_id": secret.memory_id}]
        added = await call(client, "add_memory", content="x", relationships=related)
        assert (added["link_error"]["code"], added["relations_created"]) == ("not_found", 0)
        with pytest.raises(MCPError):
            await client.read_resource(f"memory://{group}/{secret.memory_id}")


async def test_a_resource_shows_a_memory_and_counts_no_access(memory: GraphMemory, group: str):
    stored = await memory.add("Ada prefers tea")
    async with inside(memory) as client:
        read = await client.read_resource(f"memory://{group}/{stored.memory_id}")
        shown = json.loads(read.contents[0].text)  # type: ignore[union-attr]
        assert shown["content"] == "Ada prefers tea"
        assert shown["relations"] == []
        with pytest.raises(MCPError, match="not_found"):
            await client.read_resource(f"memory://{group}/nothing")
    await memory.context.accesses.flush()
    assert (await memory.get(stored.memory_id)).access_count == 0


@pytest.mark.parametrize("era", ERAS)
async def test_the_server_tells_agents_how_to_use_it(url: str, era: Any):
    async with Client(f"{url}/mcp", mode=era) as client:
        assert "search_memory" in (client.instructions or "")
        assert client.server_info is not None
        assert client.server_info.version
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["recall", "summarise"]
        answer = await client.get_prompt("recall", {"topic": "Ada"})
        assert "Ada" in answer.messages[0].content.text  # type: ignore[union-attr]


async def test_the_tool_list_is_small_titled_annotated_and_closed(memory: GraphMemory):
    async with inside(memory) as client:
        listed = await client.list_tools()
    whole = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(whole) / 3.4 <= 5200
    for tool in listed.tools:
        assert tool.title
        assert tool.description
        assert tool.output_schema is None
        assert tool.input_schema["additionalProperties"] is False
        if tool.name != "create_backup":  # which is of all tenants
            assert "group_id" in tool.input_schema["properties"]
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is not None
        destroying = ("delete_memory", "delete_all_memories", "mark_memory_obsolete")
        destroys = tool.name in destroying
        assert tool.annotations.destructive_hint is destroys


async def test_toolsets_decide_what_is_listed(memory: GraphMemory):
    def names(tools: Any) -> list[str]:
        return [tool.name for tool in tools]

    async with inside(memory) as client:
        usual = names((await client.list_tools()).tools)
        chosen = ("core", "graph", "lifecycle", "admin")
        assert usual == [
            name for key in chosen for part in TOOLSETS[key] for name in names(part.tools)
        ]
        assert {"add_memory", "memory_traverse", "mark_memory_obsolete"} <= set(usual)
        absent = await client.call_tool("save_memory", {"content": "x"})
        assert absent.is_error
    of_core = [name for part in TOOLSETS["core"] for name in names(part.tools)]
    async with inside(memory, toolsets=("core",)) as client:
        assert names((await client.list_tools()).tools) == of_core
    async with inside(memory, toolsets=("core", "compat")) as client:
        assert names((await client.list_tools()).tools) == of_core + names(compat.tools)


async def test_older_names_keep_their_scales_limits_and_orders(memory: GraphMemory, clock: Any):
    async with inside(memory, toolsets=("compat",)) as client:
        saved = await call(client, "save_memory", content="a fact", memory_type="fact", tags=["t"])
        assert saved["deprecated_alias_of"] == "add_memory"
        assert saved["memory"]["importance"] == 5
        clock.advance(days=1)
        stored = await call(client, "store_memory", content="a concept", importance=0.8)
        assert stored == {"memory_id": stored["memory_id"], "deprecated_alias_of": "add_memory"}
        clock.advance(days=1)

        every = await call(client, "get_all_memories", detail="full")
        assert [memory["importance"] for memory in every["results"]] == [8, 5]
        both = await call(client, "get_all_memories")
        assert both["deprecated_alias_of"] == "list_memories"
        assert both["results"][0]["type"] == "concept"
        assert "similarity" not in both["results"][0]
        by_type = await call(client, "search_by_type", memory_type="fact")
        by_tag = await call(client, "search_by_tags", tags=["T", "u"])
        said, _ = await refused(client, "search_by_tags", tags=[])
        assert "tags=[] is not allowed: give at least one" in said
        by_date = await call(client, "search_by_date_range", date_from="2026-06-02")
        assert [m["content"] for m in by_type["results"]] == ["a fact"]
        assert [m["content"] for m in by_tag["results"]] == ["a fact"]
        assert [m["content"] for m in by_date["results"]] == ["a concept"]
        for tool in ("search_memory_nodes", "query_memory"):
            found = await call(client, tool, query="concept")
            assert found["deprecated_alias_of"] == "search_memory"
            assert found["results"][0]["content"] == "a concept"
        weighted = await call(client, "search_memory_nodes", query="concept", detail="full")
        assert {"semantic", "recency", "importance"} <= weighted["results"][0]["components"].keys()


async def test_everything_of_a_group_can_be_deleted(memory: GraphMemory, group: str):
    await memory.add("mine")
    other = await memory.add("theirs", group_id=f"{group}_other")
    async with inside(memory) as client:
        gone = await call(client, "delete_all_memories", confirm="DELETE ALL")
        assert gone == {"deleted": 1, "backup_path": None}  # tests back up nothing by themselves
    assert await memory.get(other.memory_id, group_id=f"{group}_other")


@pytest.mark.parametrize("era", ERAS)
async def test_a_long_call_sends_progress(url: str, era: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opening, "_PROGRESS_SECONDS", 0.001)
    messages: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        messages.append((progress, message))

    async with Client(f"{url}/mcp", mode=era) as client:
        made = await client.call_tool("run_decay_maintenance", {}, progress_callback=note)
        assert not made.is_error
    assert messages
    assert all("The call is running" in (message or "") for _, message in messages)
    assert messages == sorted(messages)


async def test_a_defect_shows_nothing_of_itself(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(GraphMemory, "get", broken)
    async with inside(memory) as client:
        said, data = await refused(client, "get_memory", memory_id="x")
    assert data["code"] == "failed"
    assert "hunter2" not in said
    assert "hunter2" in caplog.text


_ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
_SYNTAX = st.lists(
    st.sampled_from(
        [*LUCENE.split(), "AND", "OR", "NOT", "group_id:other", "tea", "\0", "a*", "/x/"]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)
_PATIENT = hypothesis_settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@_PATIENT
@given(query=st.one_of(_ANY_TEXT, _SYNTAX))
async def test_any_query_is_answered_or_refused_politely(memory: GraphMemory, query: str):
    other = f"{memory.settings.group_id}_other"
    with_tea = await memory.list(group_id=other, limit=1)
    if not with_tea.memories:
        await memory.add("tea other group_id", group_id=other)
    async with inside(memory) as client:
        result = await client.call_tool("search_memory", {"query": query})
    assert result.structured_content is not None
    if result.is_error:
        assert result.structured_content["code"] == "invalid_argument"
        assert not query.strip() or any("\ud800" <= c <= "\udfff" for c in query)
    else:
        assert result.structured_content["results"] == []


@_PATIENT
@given(content=_ANY_TEXT, tags=st.lists(_ANY_TEXT, max_size=3))
async def test_any_content_comes_back_as_it_was_or_is_refused_politely(
    memory: GraphMemory, content: str, tags: list[str]
):
    async with inside(memory) as client:
        result = await client.call_tool("add_memory", {"content": content, "tags": tags})
        assert result.structured_content is not None
        if result.is_error:
            codes = ("invalid_argument", "duplicate", "limit_exceeded")
            assert result.structured_content["code"] in codes
            return
        memory_id = result.structured_content["memory_id"]
        got = await call(client, "get_memory", memory_id=memory_id)
    assert got["content"] == content
