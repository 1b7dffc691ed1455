"""Schemas and answers of the MCP server, without a server."""

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from graph_memory.domain.models import MemoryType
from graph_memory.errors import DuplicateError, InvalidArgumentError
from graph_memory.server import parameters
from graph_memory.server.app import _INSTRUCTIONS, TOOLSETS
from graph_memory.server.handshake import RECORD_FILE
from graph_memory.server.schemas import Unlisted, arguments_schema, listed_schema
from graph_memory.server.tool import MemoryTool, Toolset
from graph_memory.server.tools.compat import toolset as compat
from graph_memory.server.tools.core import toolset as core
from graph_memory.server.views.base import AccessView, ErrorView


class Colour(StrEnum):
    """A colour."""

    RED = "red"


class Sample(BaseModel):
    title: str
    default: Annotated[int | None, Field(ge=1, le=3, description="One to three.")] = None
    colour: Annotated[Colour, Field(description="Of it.")] = Colour.RED
    either: str | int | None = None


def test_arguments_are_published_short_and_closed():
    assert arguments_schema(Sample.model_json_schema()) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "default": {
                "type": "integer",
                "minimum": 1,
                "maximum": 3,
                "description": "One to three.",
            },
            "colour": {
                "type": "string",
                "enum": ["red"],
                "default": "red",
                "description": "Of it.",
            },
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        },
        "required": ["title"],
        "additionalProperties": False,
    }


def test_an_unlisted_argument_is_accepted_and_not_listed():
    class More(Sample):
        rare: Unlisted[Annotated[int | None, Field(description="Rarely given.")]] = None

    accepted, listed = arguments_schema(More.model_json_schema()), More.model_json_schema()
    assert accepted["properties"]["rare"] == {"type": "integer", "description": "Rarely given."}
    assert listed_schema(listed) == arguments_schema(Sample.model_json_schema())


def test_the_server_and_the_system_prompt_give_the_same_advice_and_name_real_tools():
    known = {tool.name for parts in TOOLSETS.values() for part in parts for tool in part.tools}
    prompt = (Path(__file__).parents[3] / "config" / "SYSTEM_PROMPT.md").read_text("utf-8")
    for advice in (_INSTRUCTIONS, prompt):
        named = set(re.findall(r"\w+_memor(?:y|ies)\w*|memory_[a-z]+_?\w*", advice))
        assert named - {"memory_type"} <= known
        assert {"add_memory", "search_memory", "update_memory", "mark_memory_obsolete"} <= named
        assert "touch_memory" not in named  # delivered memories are counted automatically


def test_a_tool_takes_synonyms_that_it_does_not_publish():
    toolset = Toolset()

    @toolset.tool("Touch", ToolAnnotations(), synonyms={"id": "memory_id"}, alias_of="touch_memory")
    async def touch(memory: object, memory_id: parameters.MemoryId) -> AccessView:
        """Touch."""
        return AccessView(memory_id=memory_id, state="ACTIVE", hint=None)

    (tool,) = toolset.tools
    assert list(tool.parameters["properties"]) == ["memory_id"]
    assert tool.synonyms == {"user_context": "group_id", "id": "memory_id"}
    assert tool.alias_of == "touch_memory"
    assert tool.description == "Touch."


TOOLS = [tool for parts in TOOLSETS.values() for part in parts for tool in part.tools]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
def test_a_tool_lists_no_output_schema(tool: MemoryTool):
    assert tool.output_schema is None


@pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
def test_each_parameter_has_a_description_and_both_bounds(tool: MemoryTool):
    for name, schema in tool.arguments["properties"].items():
        assert schema.get("description"), name
        if "minimum" in schema:
            assert "maximum" in schema, name


@pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
def test_the_listed_arguments_are_some_of_the_accepted(tool: MemoryTool):
    accepted, listed = tool.arguments["properties"], tool.parameters["properties"]
    assert listed.items() <= accepted.items()
    assert set(tool.parameters.get("required", ())) <= listed.keys()
    assert tool.parameters["additionalProperties"] is False
    if tool.name != "create_backup":  # which is of all tenants
        assert "group_id" in listed


#: Tokens of `tools/list`, at 3.4 characters of JSON per token.
@pytest.mark.parametrize(
    ("toolsets", "most"), [(("core", "graph", "lifecycle", "admin"), 5200), (("core",), 1900)]
)
def test_the_list_of_tools_costs_few_tokens(toolsets: tuple[str, ...], most: int):
    record = json.loads(RECORD_FILE.read_text(encoding="utf-8"))
    tools = [record["tools"][name] for each in toolsets for name in record["toolsets"][each]]
    whole = json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":"))
    assert len(whole) / 3.4 <= most


#: Tools that change something. All others are reads.
WRITING = {
    "decide_pending": "destroys",
    "add_memory": "sets",
    "add_memories": "sets",
    "update_memory": "sets",
    "delete_memory": "destroys",
    "touch_memory": "writes",
    "memory_relate": "sets",
    "memory_unrelate": "sets",
    "memory_preserve": "sets",
    "recover_soft_deleted": "sets",
    "run_decay_scan": "writes",
    "mark_memory_obsolete": "destroys",
    "memory_feedback": "writes",
    "rebuild_embeddings": "sets",
    "delete_all_memories": "destroys",
    "create_backup": "writes",
    "run_decay_maintenance": "writes",
    "undo_maintenance": "sets",
    "save_memory": "sets",
    "store_memory": "sets",
    "add_episode": "writes",
    "capture_turns": "sets",
    "serve_hook": "writes",
    "decide_proposals": "destroys",
    "act_on_cluster": "destroys",
    "reject_memory": "destroys",
}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
def test_the_hints_of_each_tool_are_right(tool: MemoryTool):
    kind, hints = WRITING.get(tool.name, "reads"), tool.annotations
    assert hints
    assert tool.title
    assert hints.read_only_hint is (kind == "reads")
    assert hints.destructive_hint is (kind == "destroys")
    assert bool(hints.idempotent_hint) is (kind in ("sets", "destroys"))
    assert hints.open_world_hint is False


#: Words that begin a clause about the time or the reason to use a tool.
OCCASION = re.compile(r"\b(when|before|after|if)\b")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
def test_the_first_sentence_of_each_tool_names_the_occasion_to_use_it(tool: MemoryTool):
    first = re.split(r"(?<=\.)\s", tool.description)[0]
    if tool.alias_of:
        assert f"Use {tool.alias_of}" in first
    else:
        assert OCCASION.search(first), first


def test_the_first_sentence_of_the_instructions_names_the_occasions():
    first = re.split(r"(?<=\.)\s", _INSTRUCTIONS)[0]
    assert "before you answer" in first
    assert "when you learn" in first


def test_compat_names_the_tool_to_use_instead():
    today = {tool.name for tool in TOOLS if not tool.alias_of}
    assert all(tool.alias_of in today for tool in compat.tools)


def test_the_memory_types_offered_are_those_there_are():
    (add_memory, *_) = core.tools
    assert add_memory.parameters["properties"]["memory_type"]["enum"] == list(MemoryType)


def test_a_refusal_can_always_be_sent():
    refusal = ErrorView.of(InvalidArgumentError("\ud800", "x", "no"))
    assert refusal.model_dump_json()
    assert refusal.text().startswith("invalid_argument: \\ud800='x' is not allowed")
    assert ErrorView.of(DuplicateError("m-1")).existing_id == "m-1"
