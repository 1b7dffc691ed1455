"""Every statement is called, every call exists, and a folder's statements belong to its module."""

import ast
from pathlib import Path

import pytest

import graph_memory
from graph_memory.database.migrations import MIGRATIONS, creation_statement
from graph_memory.database.statements import statements

PACKAGE = Path(graph_memory.__file__).parent

#: The statement that waits for indexes or drops one is also run by migrations, the decay policies
#: by each module that computes a score, and the vectors of a memory by all that embed.
SHARED = ("database/indexes/", "decay/")


def calls() -> list[tuple[str, str]]:
    """Return (module, statement) of each statement name that is written out in the package."""
    folders = {name.split("/")[0] for name in statements()}
    return [
        (path.relative_to(PACKAGE).with_suffix("").as_posix(), node.value)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.count("/") >= 1
        and node.value.split("/")[0] in folders
        and not node.value.endswith("/")  # a prefix of names
        and " " not in node.value
    ]


@pytest.mark.parametrize(("module", "name"), calls())
def test_a_call_names_a_statement_of_its_module(module: str, name: str) -> None:
    assert name in statements()
    if not name.startswith(SHARED):
        assert name.rpartition("/")[0] == module


def test_every_statement_is_called() -> None:
    called = {name for _, name in calls()}
    called |= {
        creation_statement(name)
        for step in MIGRATIONS
        for name in (*step.constraints, *step.indexes)
    }
    called |= {f"{name}_sound" for name in called}  # `Graph.sound_rows` adds the word
    assert set(statements()) - called == set()
