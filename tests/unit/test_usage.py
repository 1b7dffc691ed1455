"""Every statement is called, every call exists, and a folder's statements belong to its module."""

import ast
from pathlib import Path

import pytest

import graph_memory
from graph_memory.statements import statements

PACKAGE = Path(graph_memory.__file__).parent

#: Folders whose statements a module of another name runs.
OWNERS = {"schema": "schema", "memories": None, "decay": None}


def calls() -> list[tuple[str, str]]:
    """Return (module, statement) of each statement name that is written out in the package."""
    folders = {name.split("/")[0] for name in statements()}
    return [
        (path.stem, node.value)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.count("/") == 1
        and node.value.split("/")[0] in folders
        and " " not in node.value
    ]


@pytest.mark.parametrize(("module", "name"), calls())
def test_a_call_names_a_statement_of_its_module(module: str, name: str) -> None:
    if name == "schema/":  # a migration appends the name
        return
    assert name in statements()
    assert module in (name.split("/")[0], "graph")


def test_every_statement_is_called() -> None:
    from graph_memory.schema import MIGRATIONS

    called = {name for _, name in calls()}
    called |= {f"schema/{n}" for step in MIGRATIONS for n in (*step.constraints, *step.indexes)}
    assert set(statements()) - called == set()
