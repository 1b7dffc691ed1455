"""The descriptions of tools, parameters, commands and options are sentences in plain English."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from graph_memory.cli import app as command_line
from graph_memory.server.app import _INSTRUCTIONS, TOOLSETS
from tests.support import prose

#: A single word only repeats the name of the parameter.
FEWEST_WORDS = 2


def tool_descriptions() -> Iterator[prose.Passage]:
    yield prose.Passage("instructions", _INSTRUCTIONS)
    for tool in (tool for parts in TOOLSETS.values() for part in parts for tool in part.tools):
        yield prose.Passage(tool.name, tool.description or "")
        for name, schema in tool.arguments["properties"].items():
            yield prose.Passage(f"{tool.name}.{name}", schema.get("description", ""))


def command_descriptions(group: Any = None, path: str = "graph-memory") -> Iterator[prose.Passage]:
    group = group or typer.main.get_command(command_line.app)
    yield prose.Passage(path, group.help or "")
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from command_descriptions(command, f"{path} {name}")
            continue
        yield prose.Passage(f"{path} {name}", command.help or "")
        for each in command.params:
            yield prose.Passage(f"{path} {name} {each.name}", each.help or "")
    for each in group.params:
        yield prose.Passage(f"{path} {each.name}", each.help or "")


PASSAGES = [
    passage
    for passage in (*tool_descriptions(), *command_descriptions())
    if not passage.where.endswith((" install_completion", " show_completion", " help"))
]


@pytest.mark.parametrize("passage", PASSAGES, ids=lambda p: p.where)
def test_a_description_is_a_plain_sentence(passage: prose.Passage) -> None:
    text = passage.text.strip()
    assert text.endswith("."), passage
    assert text[0].isupper(), passage
    assert len(re.findall(r"[\w'-]+", text)) >= FEWEST_WORDS, passage
    assert prose.faults([passage]) == []


def test_every_parameter_and_option_is_among_the_descriptions() -> None:
    where = {passage.where for passage in PASSAGES}
    assert {"search_memory.query", "graph-memory import file", "graph-memory version"} <= where
    assert len(where) > 400
