"""The recipes of docs/architecture.md work when they are followed word by word."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.database.statements import load
from graph_memory.diagnostics import stats
from graph_memory.server.app import TOOLSETS
from graph_memory.server.tool import Toolset
from graph_memory.server.tools import learning
from graph_memory.server.views import base
from graph_memory.settings import service
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


def section(what: str) -> str:
    """Return a recipe of the page."""
    _, _, after = read(PAGE).partition(f"### Add {what}\n\n")
    return after.partition("\n### ")[0]


def follow(step: str, root: Path) -> str:
    """Make the additions of a step, "add A after B" or "before B"; return its file."""
    step = " ".join(step.split("\n\n")[0].split())
    (name,) = re.findall(r"^\d+\. `([\w./]+)`:", step)
    (within,) = re.findall(r"\bin `(\w+)`,", step) or [""]
    beginning = rf"(?:class|def) {within}\b" if within else ""
    text = (root / name).read_text(encoding="utf-8")
    for code, where, anchor in re.findall(r"add `([^`]+)` (after|before) `([^`]+)`", step):
        start = next(match.start() for match in re.finditer(beginning, text))
        place = text.index(anchor, start) + len(anchor) * (where == "after")
        line = text[text.rfind("\n", 0, place) + 1 :]
        indent = "\n" + line[: len(line) - len(line.lstrip(" "))]
        indent = " " if step.endswith("on the same line.") else indent
        added = code + indent if where == "before" else indent + code
        text = text[:place] + added + text[place:]
    (root / name).write_text(text, encoding="utf-8")
    return name


#: Stores, changes, lists and exports a memory with the property `language`, in Python and by tool.
PROPERTY = """
import asyncio, json
from graph_memory import GraphMemory, Settings
from graph_memory.server.tools.core import toolset
from graph_memory.transfer.import_export import export_lines

async def main():
    async with GraphMemory.open() as memory:
        added = await memory.add("Bonjour", language="fr")
        print((await memory.get(added.memory_id)).language)
        await memory.update(added.memory_id, language="de")
        print((await memory.get(added.memory_id)).language)
        (add_memory, *_) = toolset.tools
        assert "language" in add_memory.arguments["properties"]
        history = await memory.lifecycle.history(added.memory_id)
        assert any("language: fr" in str(event.detail) for event in history)
        (line,) = [line async for line in export_lines(memory)]
        print(json.loads(line)["language"] == "de")

asyncio.run(main())
"""


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
    exec(snippet("graph_memory/diagnostics/stats.py"), dict(vars(stats)))


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


def test_a_tool_is_a_view_and_a_function() -> None:
    views = dict(vars(base))
    exec(snippet("graph_memory/server/views/base.py"), views)
    names = {**vars(learning), "toolset": Toolset(), "AccessCountView": views["AccessCountView"]}
    exec(snippet("graph_memory/server/tools/learning.py"), names)
    (tool,) = names["toolset"].tools
    assert tool.name == "memory_access_count"
    assert learning.toolset not in {
        part for name in Settings.model_fields["toolsets"].default for part in TOOLSETS[name]
    }
    assert views["AccessCountView"](memory_id="m", access_count=2).text() == "m was used 2 times."


def test_a_setting_is_a_field_and_a_line() -> None:
    names: dict[str, Any] = dict(vars(service))
    code = textwrap.indent(snippet("graph_memory/settings/service.py"), "    ")
    exec(f"class Greeting(ServiceSettings):\n{code}", names)
    assert issubclass(Settings, names["ServiceSettings"])
    shown = tomllib.loads(snippet("config/graph-memory.toml"))
    assert names["Greeting"]().greeting_seconds == shown["greeting_seconds"]


def test_the_recipe_of_an_importer_names_every_file_that_lists_the_formats() -> None:
    recipe = section("an importer")
    named = set(re.findall(r"^\d\. `([\w./]+)`", recipe, re.MULTILINE))
    assert recipe.startswith("Six files")
    texts = (
        path
        for folder, kind in (("graph_memory", "py"), ("docs/guides", "md"))
        for path in (REPOSITORY / folder).rglob(f"*.{kind}")
        if "longterm-memory" in path.read_text(encoding="utf-8")
    )
    listing = {path.relative_to(REPOSITORY).as_posix() for path in texts}
    a_format = "graph_memory/transfer/formats/longterm_memory.py"
    assert named == listing - {a_format} | {"tests/integration/transfer/test_formats.py"}


def test_a_property_takes_the_files_that_are_listed(
    environment: None,  # noqa: F811
    tmp_path: Path,
) -> None:
    for folder in ("graph_memory", "cypher", "tests/unit", "tests/support"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    steps = re.split(r"\n(?=\d+\. )", section("a property of a memory"))[1:]
    files = [follow(step, tmp_path) for step in steps]
    assert len(set(files[:7])) == 7  # "Seven files", as the page has it
    assert len(set(files[:8])) == 8  # "An eighth file"
    check = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest"]
    check += ["tests/unit/domain/test_properties.py", "tests/unit/api/test_arguments.py"]
    for arguments in (check, ["-c", PROPERTY]):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == ["fr", "de", "True"]
