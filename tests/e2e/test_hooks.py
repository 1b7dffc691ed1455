"""The hooks of config/plugins: a session of 40 turns is replayed as each harness would do it."""

import asyncio
import io
import json
import re
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from graph_memory import GraphMemory, MemoryType
from graph_memory.server.app import TOOLSETS
from tests.conftest import Clock
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.harness import PLUGINS, Harness, hook_environment
from tests.support.mcp_client import serving

DATA = json.loads(
    (Path(__file__).parents[1] / "data" / "session_of_40_turns.json").read_text(encoding="utf-8")
)
TURNS = [
    (prompt, reply.replace("CODE", "\n".join(f"row_{n} = parse(line, {n})" for n in range(200))))
    for prompt, reply in DATA["turns"]
]
BUDGET = 1500

CLAUDE = PLUGINS / "claude-code" / "hooks" / "hooks.json"
CODEX = PLUGINS / "codex" / "hooks.json"
CURSOR = PLUGINS / "cursor" / "hooks.json"
HARNESSES = pytest.mark.parametrize(
    "file", [CLAUDE, CODEX, CURSOR], ids=["claude", "codex", "cursor"]
)


@asynccontextmanager
async def harness(memory: GraphMemory, file: Path) -> AsyncIterator[Harness]:
    """Serve the tools for hooks, and run the hooks of a file against them."""
    settings = memory.settings.model_copy(update={"toolsets": ("core", "hooks")})
    other = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=memory.clock
    )
    async with serving(other) as url, Client(f"{url}/mcp") as client:
        yield Harness(file, f"{url}/mcp", client)
    await other.close()


class Session:
    """A session of a harness: the ids and the names of its events."""

    def __init__(self, running: Harness, session_id: str) -> None:
        self.running, self.id, self.turn = running, session_id, 0
        self.cursor = running.file == CURSOR

    def _ids(self) -> dict[str, str]:
        if self.cursor:
            return {"conversation_id": self.id, "generation_id": f"g{self.turn}"}
        turn = "prompt_id" if self.running.file == CLAUDE else "turn_id"
        return {"session_id": self.id, turn: f"t{self.turn}"}

    async def start(self, source: str = "startup") -> str:
        name = "sessionStart" if self.cursor else "SessionStart"
        return await self.running.fire(name, **self._ids(), source=source)

    async def prompt(self, text: str) -> str:
        self.turn += 1
        name = "beforeSubmitPrompt" if self.cursor else "UserPromptSubmit"
        return await self.running.fire(name, **self._ids(), prompt=text)

    async def reply(self, text: str) -> str:
        if self.cursor:
            return await self.running.fire("afterAgentResponse", **self._ids(), text=text)
        return await self.running.fire(
            "Stop", **self._ids(), last_assistant_message=text, stop_hook_active=False
        )


async def replay(session: Session, clock: Clock) -> list[str]:
    """Replay the session of 40 turns, and return what was added at each prompt."""
    added = []
    for prompt, reply in TURNS:
        clock.advance(minutes=2)
        added.append(await session.prompt(prompt))
        assert await session.reply(reply) == ""
    return added


async def captured(memory: GraphMemory) -> dict[str, Any]:
    """Return the captured memories by content."""
    found: dict[str, Any] = {}
    page = await memory.list(memory_types=[MemoryType.CONVERSATION], limit=50)
    while True:
        found |= {each.content: each for each in page.memories}
        if page.next_cursor is None:
            return found
        page = await memory.list(
            memory_types=[MemoryType.CONVERSATION], limit=50, cursor=page.next_cursor
        )


@HARNESSES
async def test_a_replayed_session_is_captured_and_the_next_one_starts_with_it(
    memory: GraphMemory, clock: Clock, file: Path
):
    async with harness(memory, file) as running:
        first = Session(running, "first")
        assert await first.start() == ""  # the group is empty
        added = await replay(first, clock)
        assert added == [""] * len(TURNS)  # the conversation holds all that there is
        stored = await captured(memory)
        assert TURNS[0][1] in stored  # verbatim
        assert "ok" not in stored
        assert not any("sk-proj" in content for content in stored)
        assert not any("row_7" in content for content in stored)
        assert len(stored) == 40 - 3  # without "ok", "Please do that." and the key
        (importer,) = (c for c in stored if c.startswith("The importer reads"))
        assert "[202 lines of code left out]" in importer
        assert {each.project_id for each in stored.values()} == {running.cwd}
        assert {each.decay_policy for each in stored.values()} == {"adaptive"}
        clock.advance(days=1)
        second = Session(running, "second")
        start = await second.start()
        assert TURNS[-1][1] in start
        assert start.startswith("<memories>\n")
        assert start.endswith("\n</memories>")
        (tokens,) = await memory.context.token_counter.count([start])
        assert 300 < tokens <= BUDGET


@HARNESSES
async def test_what_is_relevant_is_added_once_and_nothing_else(
    memory: GraphMemory, clock: Clock, file: Path
):
    async with harness(memory, file) as running:
        await replay(Session(running, "first"), clock)
        clock.advance(days=1)
        for number, (question, answer) in enumerate(DATA["later"]):
            session = Session(running, f"later {number}")
            added = await session.prompt(question)
            assert answer in added, question
            assert ", conversation, by tool, " in added
            (tokens,) = await memory.context.token_counter.count([added])
            assert tokens <= BUDGET
            again = await session.prompt(f"Please: {question}")
            assert answer not in again
        other = Session(running, "unrelated")
        for question in DATA["unrelated"]:
            assert await other.prompt(question) == "", question


async def test_equal_states_make_equal_text(memory: GraphMemory, clock: Clock):
    async with harness(memory, CLAUDE) as running:
        await replay(Session(running, "first"), clock)
        clock.advance(days=1)
        question = DATA["later"][0][0]
        texts = [await memory_text(memory, f"session {n}", question) for n in range(3)]
        assert texts[0]
        assert len(set(texts)) == 1
        clock.advance(days=3)  # scores and ages change, the text does not
        assert await memory_text(memory, "session 3", question) == texts[0]
        starts = [
            (await memory.conversations.start(f"start {n}", project_id=running.cwd)).text
            for n in range(2)
        ]
        assert starts[0] == starts[1] != ""


async def memory_text(memory: GraphMemory, session: str, question: str) -> str:
    return (await memory.conversations.recall(session, question)).text


async def test_after_a_compaction_memories_are_given_again(memory: GraphMemory, clock: Clock):
    async with harness(memory, CLAUDE) as running:
        await replay(Session(running, "first"), clock)
        clock.advance(days=1)
        session, (question, answer) = Session(running, "second"), DATA["later"][0]
        assert answer in await session.prompt(question)
        assert answer not in await session.prompt(f"Please: {question}")
        given = await session.start("compact")
        assert answer in given + await session.prompt(f"Once more: {question}")


async def test_a_turn_that_a_hook_reports_twice_is_stored_once(memory: GraphMemory):
    async with harness(memory, CODEX) as running:
        session = Session(running, "first")
        for _ in range(2):
            session.turn = 0
            await session.prompt(TURNS[0][0])
            await session.reply(TURNS[0][1])
        assert len(await captured(memory)) == 2


def test_a_hook_is_silent_and_quick_without_a_server(tmp_path: Path):
    for url in ("http://127.0.0.1:1/mcp", "http://192.0.2.1:9/mcp", "not a url"):
        began = time.monotonic()
        done = subprocess.run(
            ["graph-memory", "hook"],
            input=json.dumps({"hook_event_name": "SessionStart", "session_id": "s"}),
            env=hook_environment(url, 2),
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (0, ""), done
        assert done.stderr.startswith("graph-memory hook: ")
        assert time.monotonic() - began < 10  # the budget is two seconds


@pytest.mark.parametrize("event", ["", "not json", "[]", "{}", '{"hook_event_name": 7}'])
async def test_a_hook_survives_any_input(memory: GraphMemory, event: str):
    async with harness(memory, CLAUDE) as running:
        assert await _hook(running.url, event) == (0, "")


async def _hook(url: str, given: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        "graph-memory",
        "hook",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=hook_environment(url),
    )
    out, _ = await process.communicate(given.encode())
    return process.returncode, out.decode()


def test_every_hook_names_a_tool_and_fields_there_are():
    (tool,) = (t for part in TOOLSETS["hooks"] for t in part.tools if t.name == "serve_hook")
    for file in (CLAUDE, CODEX):
        for groups in json.loads(file.read_text())["hooks"].values():
            for handler in (h for group in groups for h in group["hooks"]):
                assert handler["timeout"] <= 3
                if handler["type"] == "mcp_tool":
                    assert handler["tool"] == tool.name
                    assert set(handler["input"]) <= set(tool.parameters["properties"])
                    assert all(re.fullmatch(r"\$\{\w+\}", v) for v in handler["input"].values())


def test_the_command_captures_a_file_of_turns(cli: Run, tmp_path: Path):  # noqa: F811
    file = tmp_path / "turns.jsonl"
    turns = [{"content": "Grace drinks black coffee", "position": 1}, {"content": "ok"}]
    file.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    arguments = ("capture", file, "--conversation", "c1", "--project", "kitchen", "--json")
    first, again = cli(*arguments).json, cli(*arguments).json
    assert [turn["status"] for turn in first] == ["stored", "left_out"]
    assert [turn["status"] for turn in again] == ["known", "left_out"]
    file.write_text("{", encoding="utf-8")
    wrong = cli("capture", file, "--conversation", "c1")
    assert wrong.code == 2
    assert "it is not JSON" in wrong.err


def test_the_command_hook_takes_the_options_of_all_commands(
    cli: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("sys.stdin", io.StringIO("{}"))
    done = cli("--group", "kitchen", "hook", "--url", "http://127.0.0.1:1/mcp")
    assert (done.code, done.out) == (0, "")
