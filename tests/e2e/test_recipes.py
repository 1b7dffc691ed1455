"""The recipes of docs/architecture.md work when they are followed word by word."""

import importlib.util
import re
import shutil
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.statements import load
from graph_memory.transfer.formats import FORMATS
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.pages import REPOSITORY, read

PAGE = "docs/architecture.md"


def snippet(path: str) -> str:
    """Return the code that the page shows for a file."""
    fence = rf"^ *```{{code-block}} \w+\n *:caption: {re.escape(path)}\n\n(.*?)^ *```$"
    (code,) = re.findall(fence, read(PAGE), re.MULTILINE | re.DOTALL)
    return textwrap.dedent(code)


def cypher_with(path: str, folder: Path) -> Path:
    """Return a copy of `cypher/` to which a file of the page was added."""
    copy = folder / "cypher"
    shutil.copytree(REPOSITORY / "cypher", copy)
    (folder / path).write_text(snippet(path), encoding="utf-8")
    return copy


async def test_a_policy_is_one_file(memory: GraphMemory, tmp_path: Path) -> None:
    path = "cypher/decay/policies/slow.cypher"
    assert any(
        "WHEN 'slow' THEN" in statement.text
        for statement in load(cypher_with(path, tmp_path)).values()
    )
    await memory.add("the ferns need water")
    forecast = await memory.lifecycle.forecast(days=200, points=2, policy=str(tmp_path / path))
    assert forecast.points[1].states["ACTIVE"] == 1  # 100 days: a score of 0.17
    assert forecast.points[2].states["DORMANT"] == 1  # 200 days: 0.32


async def test_a_statement_is_a_file_and_a_call(
    memory: GraphMemory, driver: AsyncDriver, group: str, tmp_path: Path
) -> None:
    older = await memory.add("the ferns need water")
    await memory.add("the moss needs shade")
    loaded = load(cypher_with("cypher/diagnostics/stats/oldest.cypher", tmp_path))
    statement = loaded["diagnostics/stats/oldest"]
    given: dict[str, Any] = {"group_id": group, "limit": 1}
    statement.check(given)
    records, _, _ = await driver.execute_query(statement.text, given)
    assert records[0]["rows"] == [[older.memory_id]]
    compile(snippet("graph_memory/diagnostics/stats.py"), "stats.py", "exec")


def test_an_importer_is_a_module_and_a_line(
    cli: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    file = tmp_path / "plain_notes.py"
    file.write_text(snippet("graph_memory/transfer/formats/plain_notes.py"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("plain_notes", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert '"plain-notes": PLAIN_NOTES,' in read(PAGE)
    monkeypatch.setitem(FORMATS, "plain-notes", module.PLAIN_NOTES)  # type: ignore[arg-type]
    notes = tmp_path / "notes.txt"
    notes.write_text("the ferns need water\n\nthe moss needs shade\n", encoding="utf-8")
    assert cli("import", "--from", "plain-notes", notes, "--json").json["stored"] == 2
    assert cli("import", "--from", "plain-notes", notes, "--json").json["stored"] == 0
    refused = cli("import", "--from", "plain-notes", tmp_path / "notes.pdf")
    assert (refused.code, "is not a text file" in refused.err) == (1, True)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+[\w.]*)`", read(PAGE)))))
def test_the_page_names_files_and_folders_there_are(path: str) -> None:
    package = REPOSITORY / "graph_memory"
    assert any((folder / path).exists() for folder in (REPOSITORY, package, package / "server"))


def test_the_layers_are_those_that_are_checked() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    rows = read(PAGE).partition("## Layers")[2].partition("## Cypher")[0].splitlines()
    shown = [re.findall(r"`(\w+)`", row.split("|")[2]) for row in rows if row.startswith("| ")]
    assert [row for row in shown if row] == [layer.split(" | ") for layer in layers]


def test_a_property_takes_six_files() -> None:
    recipe = read(PAGE).partition("### Add a property")[2].partition("###")[0]
    files = re.findall(r"^\d\. `([\w./]+)`: add", recipe, re.MULTILINE)
    assert len(files) == len(set(files)) == 6
    for path, code in re.findall(r"^\d\. `([\w./]+)`: add `([^`]+)`", recipe, re.MULTILINE):
        likened = code.replace("language", "project_id").partition(" — ")[0].strip(",")
        assert likened in (REPOSITORY / path).read_text(encoding="utf-8"), f"{path}: {likened}"
