"""Schemas and answers of the MCP server, without a server."""

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
from graph_memory.server.schemas import arguments_schema
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
    for name, schema in tool.parameters["properties"].items():
        assert schema.get("description"), name
        if "minimum" in schema:
            assert "maximum" in schema, name


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
