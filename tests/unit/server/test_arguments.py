"""The arguments of every tool in the forms in which clients send them."""

from typing import Any

import pytest

from graph_memory.domain.inputs import validate
from graph_memory.errors import InvalidArgumentError
from graph_memory.server.app import TOOLSETS
from graph_memory.server.arguments import clamped, read
from graph_memory.server.tool import MemoryTool

TOOLS = {t.name: t for parts in TOOLSETS.values() for part in parts for t in part.tools}
every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)

#: Empty values as JSON text, which mean a list or an object alone.
EMPTY = {"array": ["[]"], "object": ["{}"]}


def required(tool: MemoryTool) -> set[str]:
    return set(tool.arguments.get("required", ()))


@every_tool
def test_an_empty_optional_argument_is_not_given(tool: MemoryTool):
    for name, schema in tool.arguments["properties"].items():
        if name not in required(tool):
            for empty in ("", [], {}, None, *EMPTY.get(schema.get("type"), ())):
                given = read({name: empty}, tool.arguments, tool.synonyms)
                assert given == {}, (name, empty)


@every_tool
def test_an_empty_required_argument_is_given(tool: MemoryTool):
    for name in required(tool):
        assert read({name: ""}, tool.arguments, tool.synonyms) in ({name: ""}, {name: [""]})


@every_tool
def test_an_empty_synonym_is_not_given(tool: MemoryTool):
    for synonym, name in tool.synonyms.items():
        if name in tool.arguments["properties"] and name not in required(tool):
            both = {synonym: "", name: "a"}
            assert list(read(both, tool.arguments, tool.synonyms)) == [name]


@every_tool
@pytest.mark.parametrize("value", ["", [], {}, "x", 0, False], ids=repr)
def test_an_unknown_argument_is_refused_whatever_its_value(tool: MemoryTool, value: Any):
    with pytest.raises(InvalidArgumentError, match=r"unknown argument|no argument is taken"):
        read({"bogus": value}, tool.arguments, tool.synonyms)


@every_tool
def test_one_text_is_a_list_of_one(tool: MemoryTool):
    for name, schema in tool.arguments["properties"].items():
        if schema.get("type") == "array" and schema["items"].get("type") == "string":
            for text in ("a", "3", '{"a": 1}', "true", "[a"):
                assert read({name: text}, tool.arguments, tool.synonyms) == {name: [text]}
            listed = read({name: '["a", "b"]'}, tool.arguments, tool.synonyms)
            assert listed == {name: ["a", "b"]}


def test_empty_fields_of_objects_in_lists_are_not_given():
    related = {"target_id": "x", "fact": "", "metadata": {}, "bogus": ""}
    attached = {"uri": "s3://a/b", "title": "", "bogus": ""}
    item = {"content": "a", "title": "", "tags": "t"}
    items = [
        {**item, "relationships": [related], "attachments": [attached, "s3://c/d"]},
        {"content": "b", "attachments": "s3://a/b"},
        "c",
        None,
    ]
    tool = TOOLS["add_memories"]
    given = read({"memories": items}, tool.arguments, tool.synonyms)
    kept = {"target_id": "x", "bogus": ""}
    files = [{"uri": "s3://a/b", "bogus": ""}, "s3://c/d"]
    first = {"content": "a", "tags": ["t"], "relationships": [kept], "attachments": files}
    second = {"content": "b", "attachments": ["s3://a/b"]}
    assert given == {"memories": [first, second, "c", None]}
    tool = TOOLS["add_memory"]
    given = read({"attachments": [attached, "s3://c/d"]}, tool.arguments, tool.synonyms)
    assert given == {"attachments": files}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"importance": 99}, "importance=99 is outside 1 to 10; 10 was used."),
        ({"importance": -0.5}, "importance=-0.5 is outside 1 to 10; 1 was used."),
        ({"importance": 10}, None),
        ({"importance": None}, None),
        ({"importance": "high"}, None),
        ({}, None),
        (
            {"memories": [{"importance": 3}, {"importance": 0}]},
            "memories.1.importance=0 is outside",
        ),
        ({"memories": "all"}, None),
    ],
    ids=str,
)
def test_an_importance_outside_its_range_is_reported(arguments: dict[str, Any], said: str | None):
    found = clamped(arguments, TOOLS["add_memory"].arguments)
    assert clamped(arguments, TOOLS["store_memory"].arguments) is None
    assert (found or "").startswith(said or "")
    assert bool(found) is bool(said)


DATES = {
    "date_from": "T00:00:00",
    "date_to": "T23:59:59.999000",
    "as_of": "T23:59:59.999000",
    "known_at": "T23:59:59.999000",
    "until": "T23:59:59.999000",
    "valid_at": "T00:00:00",
    "invalid_at": "T00:00:00",
}


@every_tool
def test_a_date_without_a_time_is_the_end_of_a_range_or_its_start(tool: MemoryTool):
    for name in DATES.keys() & tool.arguments["properties"].keys():
        filled = {each: _sample(tool, each) for each in required(tool)} | {name: "2026-06-01"}
        checked = validate(tool.fn_metadata.arg_model, filled)
        assert getattr(checked, name).isoformat() == f"2026-06-01{DATES[name]}+00:00"


def _sample(tool: MemoryTool, name: str) -> Any:
    schema = tool.arguments["properties"][name]
    kinds = {"array": ["a"], "boolean": True, "integer": 1, "number": 1}
    return kinds.get(schema.get("type"), schema.get("enum", ["2026-01-01"])[0])
