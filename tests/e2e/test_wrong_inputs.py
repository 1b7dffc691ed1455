"""Wrong inputs over every way in: a sentence names argument, value, rule and remedy in its words.

`tests/data/wrong_inputs.json` lists the inputs of each surface, with the parts of the sentence.
"""

import json
from collections.abc import Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph_memory import GraphMemory, Settings, read_settings
from graph_memory.cli import main
from graph_memory.errors import GraphMemoryError, SettingsError
from graph_memory.inference.embedder import Embedder
from graph_memory.server.app import TOOLSETS as ALL_TOOLS
from graph_memory.transfer.import_export import import_lines
from graph_memory.wording import OPERATIONS
from tests.support.mcp_client import inside, refused

INPUTS: Mapping[str, list[Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "wrong_inputs.json").read_text(encoding="utf-8")
)

TOOLSETS = tuple(ALL_TOOLS)

#: Longer than an id or a tag may be.
LONG = "x" * 129

Ids = Mapping[str, str]


def ids(case: Any) -> str:
    return " ".join(map(str, case[:-1]))[:60]


def filled(value: Any, ids: Ids) -> Any:
    """Return a value with the ids of the test in the place of their names."""
    text = json.dumps(value).replace('"LONG"', json.dumps(LONG))
    for name, memory_id in ids.items():
        text = text.replace(f"{{{name}}}", memory_id)
    return json.loads(text)


def fault(said: str, parts: list[str], ids: Ids, foreign: Iterable[str] = ()) -> str | None:
    """Return a sentence that lacks a part, or holds a mark or a name of another surface."""
    lacking = [part for part in filled(parts, ids) if part not in said]
    wrong = [word for word in ("\ue000", "\ue001", "See its log", *foreign) if word in said]
    ends = said.rstrip().endswith((".", "?"))
    return None if ends and not lacking and not wrong else f"{lacking} {wrong} {said}"


#: Names of operations that only commands, or only tools, have.
COMMANDS = [cli for python, mcp, cli in OPERATIONS.values() if cli not in (python, mcp)]
TOOLS = [mcp for _, mcp, cli in OPERATIONS.values() if mcp != cli]


@pytest_asyncio.fixture
async def stored(memory: GraphMemory) -> Ids:
    """Two memories and a deleted one."""
    names = {name: (await memory.add(name)).memory_id for name in ("first", "second", "deleted")}
    await memory.delete(names["deleted"])
    return names


@pytest.mark.parametrize("given", [{}, {"toolsets": TOOLSETS}], ids=["mcp", "mcp_all_toolsets"])
async def test_mcp_answers_wrong_inputs_in_its_words(
    memory: GraphMemory, stored: Ids, given: Mapping[str, Any]
) -> None:
    async with inside(memory, **given) as client:
        answers = [
            (*await refused(client, tool, **filled(arguments, stored)), parts)
            for tool, arguments, parts in INPUTS["mcp_all_toolsets" if given else "mcp"]
        ]
    faults = [fault(said, parts, stored, COMMANDS) for said, _, parts in answers]
    assert not [*filter(None, faults)]
    assert {data["code"] for _, data, _ in answers}.isdisjoint({"failed", "statement"})


def test_every_range_of_every_tool_is_among_the_wrong_inputs() -> None:
    ends = [("_after", "_before"), ("_from", "_to"), ("valid_at", "invalid_at")]
    ranges = {
        (tool.name, first, first.removesuffix(start) + end)
        for toolsets in ALL_TOOLS.values()
        for toolset in toolsets
        for tool in toolset.tools
        for first in tool.arguments["properties"]
        for start, end in ends
        if first.endswith(start)
        if first.removesuffix(start) + end in tool.arguments["properties"]
    }
    tried = {
        (tool, first, last)
        for tool, given, _ in (*INPUTS["mcp"], *INPUTS["mcp_all_toolsets"])
        for first in given
        for last in given
    }
    assert len(ranges) >= 6
    assert ranges <= tried


async def test_python_answers_wrong_inputs_in_its_words(memory: GraphMemory, stored: Ids) -> None:
    faults: list[str | None] = []
    for method, positional, keywords, parts in INPUTS["python"]:
        call = attrgetter(method)(memory)
        with pytest.raises(GraphMemoryError) as caught:
            await call(*filled(positional, stored), **filled(keywords, stored))
        faults.append(fault(str(caught.value), parts, stored))
    assert not [*filter(None, faults)]


async def test_an_import_answers_wrong_lines_in_its_words(memory: GraphMemory, stored: Ids) -> None:
    lines = [json.dumps(filled(line, stored)) for line, _ in INPUTS["import"]]
    report = await import_lines(memory, lines)
    messages = {error.line: error.message for error in report.errors}
    faults = [
        fault(messages.get(number, ""), parts, stored)
        for number, (_, parts) in enumerate(INPUTS["import"], 1)
    ]
    assert not [*filter(None, faults)]


@pytest.mark.parametrize("case", INPUTS["environment"], ids=ids)
def test_settings_name_the_variable(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    variables, parts = case
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert fault(str(caught.value), parts, {}) is None


def test_commands_answer_wrong_inputs_in_their_words(
    settings: Settings,
    group: str,
    embedder: Embedder,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stay_open(*, wait: bool = True) -> None:
        """The next command wants the model too."""

    monkeypatch.setattr(embedder, "close", stay_open)
    monkeypatch.setattr("graph_memory.api.service.Embedder", lambda settings: embedder)
    password = settings.neo4j_password.get_secret_value()
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", settings.neo4j_uri or "")
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_PASSWORD", password)
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("GRAPH_MEMORY_GROUP_ID", group)
    file = tmp_path / "memories.jsonl"
    file.write_text('{"content": "x"}\n')
    names = {name: f"{group}-{name}" for name in ("first", "second", "deleted")}
    for memory_id in names.values():
        assert main(["add", memory_id, "--id", memory_id]) == 0
    assert main(["delete", names["deleted"]]) == 0
    known = {**names, "file": str(file)}
    faults: list[str | None] = []
    for arguments, parts in INPUTS["cli"]:
        capsys.readouterr()
        code = main(filled(arguments, known))
        said = capsys.readouterr().err
        faults.append(fault(said, parts, known, TOOLS) if code in (1, 2) else str(arguments))
    assert not [*filter(None, faults)]
