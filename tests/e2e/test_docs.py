"""What the README and the pages of docs/ show runs: console sessions, Python programs, data.

Lines of `sh` need other software, another machine or other data; `tests/unit/test_pages.py` parses
them.
"""

import json
import shlex
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from graph_memory import GraphMemory
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.pages import Block, all_blocks, blocks, page_names

SESSIONS = [page for page in page_names() if blocks(page, "console")]
PROGRAMS = all_blocks("python")


@pytest.mark.parametrize("page", SESSIONS)
def test_a_console_session_runs_in_order(
    page: str,
    cli: Run,  # noqa: F811
    group: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPH_MEMORY_DECAY_ENABLED_GROUPS", f"{group},demo")  # not those of others
    if page not in FROM_NOTHING:
        prepare(page, cli)
    for block in blocks(page, "console"):
        for line in block.text.splitlines():
            program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
            if program == "export":
                monkeypatch.setenv(*arguments[0].split("=", 1))
                continue
            assert program == "graph-memory"
            result = cli(*(MEANT[word](cli) if word in MEANT else word for word in arguments))
            assert result.code == 0, f"{line}\n{result.out}{result.err}"
            if "offer Ada" in line:
                assert "green tea" in result.out.splitlines()[0]


#: Pages whose sessions begin in an empty group; the others use what `prepare` leaves.
FROM_NOTHING = ("README.md", "docs/get-started/first-steps.md")

#: What a word in capitals stands for in a session.
MEANT: dict[str, Callable[[Run], str]] = {
    "ID": lambda _: "7c0e4a52",  # of `prepare`
    "RUN_ID": lambda run: run("maintain", "--json").json["run_id"],
    "TOKEN_ID": lambda run: run("token", "list", "--json").json["tokens"][0]["token_id"],
}


def prepare(page: str, cli: Run) -> None:  # noqa: F811
    """Store the memories and write the files that the sessions of the guides name."""
    own = f"7c0e4a52{str(uuid.uuid4())[8:]}"
    cli("add", "Ada lives in Bonn and keeps two cats", "--id", own)
    cli("add", "We saw the cathedral", "--conversation", "trip-to-bonn")
    cli("add", "Anna Meier waters the ferns on Mondays", "--importance", 9)
    Path("turns.jsonl").write_text(json.dumps({"content": "I bake on Sundays", "role": "user"}))
    entity = {"type": "entity", "name": "Eve", "entityType": "person", "observations": ["reads"]}
    Path("memory.jsonl").write_text(json.dumps(entity))
    Path("plans").mkdir()
    Path("plans/site.png").touch()
    for policy in blocks(page, "cypher"):
        Path("slow.cypher").write_text(policy.text)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda block: block.page)
def test_a_python_program_runs(
    program: Block,
    cli: Run,  # noqa: F811 - shares the loaded model
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(compile(program.text, program.page, "exec"), {"__name__": "__main__"})
    out = capsys.readouterr().out
    assert "Grace drinks black coffee" in out or "Ada prefers green tea" in out


def test_the_readmes_program_runs_as_a_process(
    environment: None,  # noqa: F811
    tmp_path: Path,
) -> None:
    (program,) = blocks("README.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", program.text],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "Grace drinks black coffee" in done.stdout


def test_the_data_to_evaluate_is_found(
    cli: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (example,) = (block.text for block in all_blocks("json") if '"questions"' in block.text)
    monkeypatch.chdir(tmp_path)
    Path("DATA.json").write_text(example, encoding="utf-8")
    found = cli("evaluate", "DATA.json", "--json", "--plot", "found.svg")
    assert found.code == 0, found.err
    assert found.json["scores"][0]["recall"]["5"] == 1
    assert Path("found.svg").exists()


async def test_the_policy_of_the_docs_works(memory: GraphMemory, tmp_path: Path) -> None:
    (policy,) = blocks("docs/guides/change-how-fast-memories-fade.md", "cypher")
    (tmp_path / "own.cypher").write_text(policy.text, encoding="utf-8")
    await memory.add("water the plants", memory_type="task")
    await memory.add("the plants are ferns")
    path = str(tmp_path / "own.cypher")
    forecast = await memory.lifecycle.forecast(days=120, points=2, policy=path)
    assert forecast.points[1].states["DORMANT"] == 2
    assert forecast.points[2].states["ARCHIVED"] == 1
