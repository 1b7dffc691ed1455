"""The session for the OpenAI Agents SDK keeps what the SDK's own session keeps."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelResponse,
    RunConfig,
    RunContextWrapper,
    Runner,
    SQLiteSession,
    Usage,
)
from agents.mcp import MCPServerStreamableHttp, MCPUtil
from agents.memory import SessionSettings
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from graph_memory import GraphMemory
from graph_memory.integrations.openai_agents import GraphMemorySession
from tests.support.harness import REPOSITORY
from tests.support.mcp_client import serving

ITEMS: list[Any] = [
    {"role": "user", "content": "What does Ada drink?"},
    {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"query": "Ada"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "tea\n" * 300},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Ada drinks tea."}]},
    {"role": "user", "content": "yes"},
    {"role": "user", "content": "yes"},
]


class Scripted(Model):
    """A model that answers with the number of items it got."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **more: Any):
        self.seen.append(input)
        text = ResponseOutputText(
            text=f"I got {len(input)} items.", type="output_text", annotations=[], logprobs=[]
        )
        message = ResponseOutputMessage(
            id=f"m{len(self.seen)}",
            content=[text],
            role="assistant",
            status="completed",
            type="message",
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **more: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def test_a_session_keeps_what_the_sdks_own_keeps(memory: GraphMemory):
    other, session = SQLiteSession("chat1"), GraphMemorySession("chat1", memory)
    for items in ([], ITEMS[:2], ITEMS[2:]):
        await other.add_items(items)
        await session.add_items(items)
    assert await session.get_items() == await other.get_items() == ITEMS
    for limit in (0, 1, 4, 99):
        assert await session.get_items(limit) == (await other.get_items(limit) if limit else [])
    for _ in range(3):
        assert await session.pop_item() == await other.pop_item()
    await session.add_items(ITEMS[:1])
    await other.add_items(ITEMS[:1])
    again = GraphMemorySession("chat1", memory, session_settings=SessionSettings(limit=2))
    assert await again.get_items() == await other.get_items(2)
    assert await GraphMemorySession("chat2", memory).get_items() == []
    await session.clear_session()
    assert await session.get_items() == []
    assert await session.pop_item() is None
    other.close()


async def test_an_item_with_a_masked_secret_can_be_read_again(memory: GraphMemory):
    session = GraphMemorySession("chat1", memory)
    await session.add_items([{"role": "user", "content": 'run "TOKEN=abc12345" in C:\\x'}])
    (item,) = await session.get_items()
    assert item == {"role": "user", "content": 'run "TOKEN=[secret assignment]" in C:\\x'}


async def test_many_writers_lose_nothing(memory: GraphMemory):
    sessions = [GraphMemorySession("chat1", memory) for _ in range(3)]
    await asyncio.gather(
        *(
            session.add_items([{"role": "user", "content": f"{number} {turn}"} for turn in "ab"])
            for number, session in enumerate(sessions)
        )
    )
    found: list[Any] = await sessions[0].get_items()
    assert sorted(item["content"] for item in found) == ["0 a", "0 b", "1 a", "1 b", "2 a", "2 b"]


@pytest.mark.filterwarnings("default")
async def test_a_runner_goes_on_where_a_session_ended(memory: GraphMemory):
    model, config = Scripted(), RunConfig(tracing_disabled=True)
    agent = Agent(name="Assistant", model=model)
    for prompt in ("Hello", "And now?"):
        session = GraphMemorySession("chat1", memory)  # as after a restart
        result = await Runner.run(agent, prompt, session=session, run_config=config)
    assert result.final_output == "I got 3 items."
    found: list[Any] = await session.get_items()
    assert [item.get("role") for item in found] == ["user", "assistant", "user", "assistant"]


async def test_the_tools_go_strict_except_those_that_the_docs_name(memory: GraphMemory):
    async with (
        serving(memory) as url,
        MCPServerStreamableHttp({"url": f"{url}/mcp"}) as server,
    ):
        agent = Agent(name="assistant")
        tools = await MCPUtil.get_function_tools(server, True, RunContextWrapper(None), agent)
    functions = [tool for tool in tools if isinstance(tool, FunctionTool)]
    ordinary = [tool.name for tool in functions if not tool.strict_json_schema]
    assert ordinary == ["add_memory", "add_memories"]
    page = (REPOSITORY / "docs" / "get-started" / "clients.md").read_text(encoding="utf-8")
    assert f"{len(functions) - len(ordinary)} of the {len(functions)} tools" in page
    for tool in functions:
        if tool.strict_json_schema:
            schema = tool.params_json_schema
            assert schema["required"] == [*schema["properties"]]
