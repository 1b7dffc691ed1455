"""The command line, end to end on a real database: results, errors and exit codes.

Most commands run in this process, through the same `main` as the console script, and share one
loaded model; where the boundary of a process is the point, a real one is started.
"""

import contextlib
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from graph_memory import Settings, __version__
from graph_memory.cli import main
from graph_memory.cli.app import app
from graph_memory.database.migrations import MIGRATIONS
from graph_memory.inference.embedder import Embedder
from tests.support.tiny_embedding_model import write_embedding_model

SCRIPT = Path(sys.executable).parent / "graph-memory"
DATA = str(Path(__file__).parents[1] / "data" / "labelled.json")


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The only line of stdout."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Run = Callable[..., Result]


@pytest.fixture
def environment(settings: Settings, group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    password = settings.neo4j_password.get_secret_value()
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", settings.neo4j_uri or "")
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_USER", settings.neo4j_user)
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_PASSWORD", password)
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("GRAPH_MEMORY_GROUP_ID", group)


@pytest.fixture
def cli(
    environment: None,
    embedder: Embedder,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    async def stay_open(*, wait: bool = True) -> None:
        """The next command wants the model too."""

    monkeypatch.setattr(embedder, "close", stay_open)
    monkeypatch.setattr("graph_memory.api.service.Embedder", lambda settings: embedder)

    def run(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Result(code, captured.out, captured.err)

    return run


def write(folder: Path, *lines: object) -> Path:
    file = folder / "memories.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts), encoding="utf-8")
    return file


def command_paths(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command, as in `db start`."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from command_paths(command, (*path, name))
        else:
            yield (*path, name)


def found(path: tuple[str, ...]) -> Any:
    command: Any = typer.main.get_command(app)
    for word in path:
        command = command.commands[word]
    return command


def test_add_notes_what_a_memory_may_replace(cli: Run) -> None:
    earlier = cli("add", "The shop opens at 9.", "--json").json
    assert earlier["possible_conflicts"] == []
    added = cli("add", "The shop now opens at 10.")
    note = f'It may replace memory {earlier["memory_id"]}: "opens at 9" by "now opens at 10".'
    assert note in added.err
    assert "possible_conflicts" not in added.out


def test_a_look_on_the_command_line_counts_no_access(cli: Run) -> None:
    tea = cli("add", "Ada prefers green tea", "--json").json["memory_id"]
    expected = 0
    for words, by_default in (
        (("get", tea), False),
        (("list",), False),
        (("traverse", tea), False),
        (("search", "green tea"), True),
        (("retrieve", "green tea"), True),
    ):
        for option, counts in (
            ((), by_default),
            (("--counted",), True),
            (("--no-counted",), False),
        ):
            assert cli(*words, *option).code == 0
            expected += counts
            assert cli("get", tea, "--json").json["access_count"] == expected, (words, option)


@pytest.mark.parametrize("path", list(command_paths()), ids=" ".join)
def test_every_command_and_option_says_what_it_is(path: tuple[str, ...]) -> None:
    command = found(path)
    assert command.help
    assert command.help.splitlines()[0].endswith(".")
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--json", "--group"} <= options
    for parameter in command.params:
        assert parameter.help or parameter.name == "help", parameter.name


@pytest.mark.parametrize("path", list(command_paths()), ids=" ".join)
def test_every_command_shows_a_valid_example_with_its_help(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main([*path, "-h"]) == 0
    shown = capsys.readouterr().out
    example = f"Example: graph-memory {' '.join(path)}"
    assert example in shown
    words = shlex.split(found(path).epilog.removeprefix("Example: "))
    assert tuple(words[1 : len(path) + 1]) == path
    found(path).make_context(path[-1], words[len(path) + 1 :])


def test_the_version_is_told_at_once_and_without_heavy_imports() -> None:
    heavy = ("torch", "neo4j", "mcp", "pydantic", "numpy", "rich", "graphiti_core")
    script = (
        "import sys; from graph_memory.cli import main; code = main(['--version']); "
        f"sys.exit(code or ', '.join(sys.modules.keys() & set({heavy})) or None)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"graph-memory {__version__}\n"), done.stderr


def test_a_command_on_memories_imports_only_what_it_needs() -> None:
    heavy = ("torch", "sentence_transformers", "mcp", "graphiti_core", "matplotlib", "openai")
    lazy = ("graph_memory.graphiti.worker", "graph_memory.maintenance.run", "cryptography")
    script = (
        "import sys, graph_memory.cli.app, graph_memory.api.service; "
        f"sys.exit(', '.join(sys.modules.keys() & set({heavy + lazy})) or None)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_statistics_and_the_health_of_a_group_are_shown(cli: Run) -> None:
    assert cli("add", "The bins go out on Tuesday", "--type", "task", "--tag", "home").code == 0
    assert cli("add", "Mira is allergic to hazelnuts", "--importance", "9").code == 0
    stats, health = cli("stats", "--json").json, cli("health", "--json").json
    assert (stats["total"], stats["by_type"]) == (2, {"general": 1, "task": 1})
    assert stats["by_tag"] == {"home": 1}
    assert (health["states"]["ACTIVE"], health["states"]["EXPIRED"]) == (2, 0)
    assert health["averages"]["decay_score"] < 0.01
    for command in ("stats", "health"):
        shown = cli(command)
        assert (shown.code, shown.err) == (0, "")
        assert "2" in shown.out


def test_help_is_what_no_arguments_get(cli: Run) -> None:
    result = cli()
    assert result.code == 2
    assert "Usage" in result.out + result.err
    assert "error" not in result.err


def test_a_shell_can_complete(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GRAPH_MEMORY_COMPLETE", "source_bash")
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0


def test_memories_are_added_found_read_listed_and_deleted(cli: Run) -> None:
    added = cli(
        "add",
        "Ada prefers green tea",
        "--type",
        "preference",
        "--tag",
        "ada",
        "--tag",
        "tea",
        "--importance",
        7,
        "--metadata",
        '{"cup": "large"}',
        "--json",
    )
    assert added.code == 0
    memory_id = added.json["memory_id"]
    assert (added.json["tags"], added.json["metadata"]) == (["ada", "tea"], {"cup": "large"})
    assert cli("add", "The printer is on the third floor").code == 0

    hits = cli("search", "what does Ada drink?", "--json").json["results"]
    assert hits[0]["memory_id"] == memory_id
    assert 0 < hits[0]["score"] <= 1
    assert cli("search", "Ada", "--tag", "none").out == ""
    for command in ("search", "retrieve"):
        assert "printer" in cli(command, "what does Ada drink?", "--sort", "time").out
        assert cli(command, "x", "--sort", "newest").code == 2
    for command in ("search", "retrieve"):
        unknown = cli(command, "Who flew to Reykjavik?", "--min-relevance", 0.9)
        assert unknown.out == ""
        assert "Known: no. Nothing found mentions " in unknown.err
        assert "Reykjavik" in unknown.err
        assert "2 less relevant results were left out" in unknown.err
        answer = cli(command, "Who flew to Reykjavik?", "--json")
        assert (answer.json["known"], answer.err) == ("no", "")

    got = cli("get", memory_id, "--json").json
    assert (got["content"], got["relations"]) == ("Ada prefers green tea", [])

    page = cli("list", "--limit", 1, "--json").json
    assert [memory["memory_id"] for memory in page["results"]] == [memory_id]
    rest = cli("list", "--cursor", page["next_cursor"])
    assert rest.out.count("\n") == 1
    assert "\tThe printer is on the third floor" in rest.out

    partly = cli("delete", "nobody", memory_id, "--json")
    assert partly.code == 1
    assert "No memory 'nobody'" in partly.err
    assert partly.json["unknown"] == ["nobody"]
    (gone,) = partly.json["deleted"]
    assert (gone["memory_id"], gone["permanent"]) == (memory_id, False)
    assert gone["recoverable_until"]
    assert cli("get", memory_id).code == 1
    assert cli("delete", "--all", "--confirm", "yes").code == 2
    assert cli("delete", "--all", "--confirm", "DELETE ALL", "--json").json["deleted"] == 1


def test_a_memory_is_changed_touched_and_superseded_and_its_past_is_asked_for(cli: Run) -> None:
    old = cli("add", "The office is in Bergen", "--valid-at", "2025-01-01", "--json").json
    new = cli("add", "The office is in Oslo", "--valid-at", "2026-03-01", "--json").json
    changed = cli(
        "update", old["memory_id"], "The office was in Bergen", "--importance", 8, "--json"
    )
    assert (changed.json["content"], changed.json["importance"]) == ("The office was in Bergen", 8)
    assert cli("update", old["memory_id"]).code == 2
    assert cli("touch", old["memory_id"], "--json").json == {
        "memory_id": old["memory_id"],
        "state": "ACTIVE",
        "hint": None,
    }
    marked = cli(
        "obsolete", old["memory_id"], "moved", "--superseded-by", new["memory_id"], "--json"
    )
    assert marked.json["state"] == "EXPIRED"

    def found(*clock: object) -> list[str]:
        hits = cli("search", "where is the office?", *clock, "--json").json["results"]
        return [hit["memory_id"] for hit in hits]

    assert found() == [new["memory_id"]]
    assert found("--as-of", "2025-06-01") == [old["memory_id"]]
    assert found("--known-at", "2025-06-01") == []
    listed = cli("list", "--as-of", "2025-06-01", "--json").json["results"]
    assert [memory["memory_id"] for memory in listed] == [old["memory_id"]]
    assert cli("get", old["memory_id"], "--as-of", "2025-06-01").code == 0
    assert cli("get", old["memory_id"], "--as-of", "2026-06-01").code == 1
    given = cli("retrieve", "where is the office?", "--as-of", "2025-06-01", "--json").json
    assert [memory["memory_id"] for memory in given["memories"]] == [old["memory_id"]]


def test_a_conversation_is_given_what_it_lacks(cli: Run, tmp_path: Path) -> None:
    added = cli("add", "Ada prefers green tea", "--json").json
    first = cli("retrieve", "what does Ada drink?", "--max-tokens", 100, "--json").json
    assert [m["memory_id"] for m in first["memories"]] == [added["memory_id"]] == first["anchors"]
    assert first["memories"][0]["status"] == "new"
    session = first["session_id"]
    again = cli("retrieve", "tea", "--session", session, "--profile", "hybrid", "--json").json
    assert again["skipped_loaded"] == [added["memory_id"]]
    weights = ("--weight", 0.5, "--weight", 0.25, "--weight", 0.25)
    assert "Ada prefers" in cli("retrieve", "tea", "--profile", "weighted", *weights).out
    assert cli("retrieve", "tea", "--weight", 1).code == 2
    assert cli("feedback", "--json").json["enabled"] is False
    assert "recall_late_weight" in cli("feedback").out
    exported = tmp_path / "lessons.json"
    cli("feedback", "--export", exported)
    assert json.loads(exported.read_text())["lessons"] == []
    assert cli("feedback", "--reset", "--json").json["useful"] == 0


def test_relations_are_made_walked_analysed_and_ended(cli: Run) -> None:
    tea, trip = (
        cli("add", text, "--json").json["memory_id"] for text in ("Ada likes tea", "Ada in Kyoto")
    )
    made = cli("relate", trip, tea, "--type", "causes", "--both", "--strength", 0.8, "--json").json
    assert [r["relation_type"] for r in made["relations"]] == ["causes", "caused_by"]
    walked = cli("traverse", trip, "--depth", 1, "--relation", "causes", "--json").json
    (node,) = walked["nodes"]
    assert (node["memory_id"], node["depth"], node["path"]) == (tea, 1, [trip, tea])
    assert cli("traverse", trip, "--type", "fact").out == ""
    assert "\tAda likes tea" in cli("traverse", trip).out
    analysis = cli("analyze", trip, "--json").json
    assert (analysis["in_degree"], analysis["out_degree"]) == (1, 1)
    assert cli("unrelate", trip, tea, "--json").json == {"removed": 1}
    kinds = [event["kind"] for event in cli("history", trip, "--json").json["events"]]
    assert sorted(kinds) == ["created", "related", "related", "unrelated"]
    assert cli("history", "nobody").code == 1


def test_the_beginning_of_an_id_is_enough_where_one_memory_has_it(cli: Run, group: str) -> None:
    first, second = f"{group}_a1", f"{group}_a2"
    for memory_id in (first, second):
        assert cli("add", f"Ada knows {memory_id}", "--id", memory_id).code == 0
    short = cli("add", "Ada prefers tea", "--json").json["memory_id"]
    assert cli("get", short[:8], "--json").json["memory_id"] == short
    made = cli("relate", short[:8], first, "--json").json["relations"][0]
    assert (made["from_id"], made["to_id"]) == (short, first)
    assert cli("get", first, "--json").json["memory_id"] == first
    refused = cli("get", group, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "ambiguous_id")
    assert f"it begins the ids {first}, {second}; add characters" in refused.err
    assert cli("delete", short[:8], "--json").json["deleted"][0]["memory_id"] == short
    assert cli("recover", short[:8], "--json").json["memory_id"] == short
    assert cli("get", short[:3]).code == 1


def test_an_importance_out_of_range_is_reported(cli: Run) -> None:
    added = cli("add", "very important", "--importance", 99, "--json")
    assert added.json["importance"] == 10
    assert added.err == "--importance 99 was stored as 10: it is from 1 to 10.\n"
    assert cli("update", added.json["memory_id"], "--importance", 0).err.endswith("1 to 10.\n")
    assert cli("update", added.json["memory_id"], "--importance", 7).err == ""


def test_a_list_on_a_terminal_counts_the_rest(
    cli: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        cli("add", f"note {number}", "--type", "fact")
    cli("add", "another note", "--type", "task")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    page = cli("list", "--limit", 2, "--type", "fact")
    assert page.err.startswith("2 of 3; next: --cursor ")
    rest = cli("list", "--limit", 2, "--type", "fact", "--cursor", page.err.split()[-1])
    assert (rest.out.count("note"), rest.err) == (1, "")
    assert cli("list", "--limit", 2, "--json").err == ""


def test_groups_types_and_policies_are_completed(
    cli: Run, group: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli("add", "something to have a group")

    def complete(line: str) -> list[str]:
        monkeypatch.setenv("_GRAPH_MEMORY_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
        with pytest.raises(SystemExit):
            main([])
        return capsys.readouterr().out.split()

    assert complete("graph-memory list --type pre") == ["preference"]
    assert complete("graph-memory search x --profile h") == ["hybrid"]
    assert complete(f"graph-memory list --group {group[:12]}") == [group]
    for command in ("groups place", "groups move", "token create ci --groups"):
        assert complete(f"graph-memory {command} {group[:12]}") == [group]
    several = f"other,{group}"
    assert complete(f"graph-memory token create ci --groups {several[:18]}") == [several]
    for command in ("update x", "forecast", "maintain"):
        assert "half_life" in complete(f"graph-memory {command} --policy half")
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", "bolt://127.0.0.1:1")
    assert complete(f"graph-memory list --group {group[:12]}") == []


def test_the_group_may_stand_before_or_behind_the_command(cli: Run, group: str) -> None:
    cli("--group", f"{group}_b", "add", "in the other group")
    assert "other group" in cli("list", "--group", f"{group}_b").out
    assert cli("list").out == ""
    assert "other group" in cli("--group", "nobody", "list", "--group", f"{group}_b").out


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "part"),
    [
        (["nonsense"], 2, "usage", "No such command 'nonsense'"),
        (["get"], 2, "usage", "memory_id"),
        (["list", "--limit", "many"], 2, "usage", "--limit"),
        (["delete"], 2, "usage", "give ids, or --all"),
        (["add", "x", "--metadata", "{"], 2, "usage", "is not valid JSON"),
        (["add", "x", "--metadata", "[]"], 2, "invalid_argument", "metadata"),
        (["add", "x", "--stability", "9"], 2, "invalid_argument", "--stability=9"),
        (["list", "--type", "song"], 2, "invalid_argument", "--type='song'"),
        (["retrieve", "x", "--depth", "9"], 2, "invalid_argument", "--depth=9"),
        (["delete", "--all"], 2, "confirmation_required", "--confirm 'DELETE ALL'"),
        (["serve", "--port", "70000"], 2, "settings", "--port=70000"),
        (["add", "  "], 2, "invalid_argument", "white space"),
        (["list", "--group", "a-b"], 2, "invalid_argument", "group='a-b'"),
        (["list", "--limit", "51"], 2, "invalid_argument", "1 to 50"),
        (["list", "--cursor", "mine"], 2, "invalid_argument", "next_cursor"),
        (["search", "x", "--profile", "best"], 2, "invalid_argument", "profile"),
        (["get", "nobody"], 1, "not_found", "No memory 'nobody'"),
        (["import", "nowhere.jsonl"], 1, "failed", "nowhere.jsonl: No such file"),
        (["db", "start"], 1, "local_neo4j", "GRAPH_MEMORY_NEO4J_URI"),
        (["maintain", "--now", ""], 2, "invalid_argument", "add --dry-run"),
        (["maintain", "--policy", ""], 2, "invalid_argument", "add --dry-run"),
        (["forecast", "--policy", "/nowhere.cypher"], 2, "invalid_argument", "no such file"),
        (["episodes", "status", "zork"], 1, "not_found", "No episode with the job 'zork'"),
        (["export", "--output", ""], 2, "invalid_argument", "name a file"),
        (["forecast", "--plot", "year.txt"], 2, "invalid_argument", "--plot='year.txt'"),
        (
            ["forecast", "--plot", "nowhere/year.svg"],
            2,
            "invalid_argument",
            "its folder does not exist",
        ),
        (
            ["report", "--html", "nowhere/page.html"],
            2,
            "invalid_argument",
            "its folder does not exist",
        ),
        (["evaluate", DATA, "--plot", "x.gif"], 2, "invalid_argument", "--plot='x.gif'"),
        (["evaluate", DATA, "--k", ""], 2, "invalid_argument", "at least one number"),
        (["evaluate", DATA, "--budget", "0"], 2, "invalid_argument", "--budget='0'"),
        (
            ["evaluate", DATA, "--model", "a/b", "--model", "a/b"],
            2,
            "invalid_argument",
            "--model='a/b' is not allowed: it is given twice",
        ),
        (["evaluate", DATA, "--model", ""], 2, "invalid_argument", "name a model, or its folder"),
        (
            ["evaluate", DATA, "--model", "a/b", "--ablate"],
            2,
            "invalid_argument",
            "models are compared by vectors alone; leave it out, or --model",
        ),
        (
            ["evaluate", DATA, "--model", "a/b", "--profile", "hybrid"],
            2,
            "invalid_argument",
            "--profile='hybrid'",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_one_sentence_and_an_object_if_asked(
    cli: Run, arguments: list[str], code: int, kind: str, part: str
) -> None:
    result = cli(*arguments, "--json")
    assert result.code == code
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    assert part in result.err
    assert result.json["error"]["code"] == kind
    assert f"error: {result.json['error']['message']}\n" == result.err


def test_models_are_compared_by_their_vectors(cli: Run, tmp_path: Path) -> None:
    tiny = str(write_embedding_model(tmp_path))
    cli("add", "a stored memory")
    found = cli("evaluate", DATA, "--model", tiny, "--k", "1,5", "--json")
    assert found.code == 0, found.err
    assert found.json["compared"] == "vectors"
    default, other = found.json["models"]
    assert (default["model"], other["model"]) == ("all-MiniLM-L6-v2", tiny)
    assert default["scores"][0]["recall"].keys() == {"1", "5"}
    assert default["scores"][0]["recall"]["5"] > other["scores"][0]["recall"]["5"]
    assert (default["differences"], default["change"]) == ({}, None)
    assert other["differences"]["recall@5"]["interval"][1] < 0
    assert other["change"]["texts"] >= 1
    shown = cli("evaluate", DATA, "--model", tiny).out.splitlines()
    assert shown[0].startswith("all-MiniLM-L6-v2\t0.")
    assert shown[1].split("\t")[0] == tiny
    assert " to -0." in shown[1]
    assert shown[2].startswith("Vectors alone are compared, by exact cosine.")
    assert shown[3].startswith(f"A change to {tiny} costs: ")
    assert "`graph-memory embeddings rebuild`" in shown[3]
    assert "GRAPH_MEMORY_EMBEDDING_DIMENSIONS=384" in shown[3]
    assert len(shown) == 4


def test_an_unknown_model_is_named(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    result = cli("evaluate", DATA, "--model", tmp_path / "none", "--json")
    assert (result.code, result.json["error"]["code"]) == (2, "invalid_argument")
    assert f"--model='{tmp_path}/none' is not allowed: it cannot be opened (" in result.err
    assert "no such folder" in result.err


def test_a_duplicate_is_refused(cli: Run) -> None:
    cli("add", "said before")
    result = cli("add", "said before", "--json")
    assert (result.code, result.json["error"]["code"]) == (1, "duplicate")


def test_an_interruption_has_its_own_exit_code(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**overrides: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graph_memory.cli.operations.configured", interrupted)
    result = cli("doctor", "--json")
    assert (result.code, result.err) == (130, "error: Interrupted.\n")
    assert result.json["error"]["code"] == "interrupted"


def test_a_fault_of_ours_is_a_sentence_too(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**overrides: Any) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("graph_memory.cli.operations.configured", broken)
    result = cli("doctor", "--json")
    assert (result.code, result.json["error"]["code"]) == (1, "internal")


def test_an_import_names_the_bad_lines_and_can_be_repeated(
    cli: Run, tmp_path: Path, group: str
) -> None:
    file = write(
        tmp_path,
        {"content": "first", "memory_id": f"{group}-1", "created_at": "2020-01-01T00:00:00Z"},
        "",
        "{broken",
        {"content": "second", "relationships": [{"target_id": f"{group}-1"}]},
        {"content": "third", "colour": "red"},
    )
    result = cli("import", file)
    assert result.code == 1
    *counts, named = result.out.splitlines()
    assert named.startswith("import_id\timport-")
    assert [line.replace("\t", " ") for line in counts] == [
        *("stored 2", "skipped 0", "relations 1", "failed 2", "renamed 0", "masked 0"),
    ]
    third, fifth = result.err.splitlines()
    assert third.startswith("line 3: ")
    assert fifth.startswith("line 5: ")
    again = cli("import", file, "--json").json
    assert (again["stored"], again["skipped"], again["failed"]) == (0, 2, 2)
    assert [error["line"] for error in again["errors"]] == [3, 5]
    assert cli("get", f"{group}-1", "--json").json["created_at"] == "2020-01-01T00:00:00.000Z"


def test_an_export_can_be_imported_into_another_group(cli: Run, tmp_path: Path, group: str) -> None:
    lines = [
        {"content": "one", "memory_id": f"{group}-1", "tags": ["a"], "created_at": "2020-01-01"},
        {
            "content": "two",
            "parent_id": f"{group}-1",
            "metadata": {"k": [1, {"v": None}]},
            "relationships": [{"target_id": f"{group}-1", "relation_type": "part_of"}],
        },
    ]
    assert cli("import", write(tmp_path, *lines)).code == 0
    told = cli("export", "--output", tmp_path / "out.jsonl", "--json").json
    assert told == {"exported": 2, "file": str(tmp_path / "out.jsonl")}
    assert {file.name for file in tmp_path.iterdir()} == {"memories.jsonl", "out.jsonl"}
    result = cli("import", tmp_path / "out.jsonl", "--group", f"{group}_copy")
    taken, other = result.err.splitlines()
    assert result.code == 0
    assert f"line 1: the id '{group}-1' is taken; stored as " in taken
    assert other.startswith("line 2: the id ")
    refused = cli(
        "import", tmp_path / "out.jsonl", "--group", f"{group}_3", "--on-taken", "refuse", "--json"
    )
    assert (refused.code, refused.json["stored"], refused.json["failed"]) == (1, 0, 2)
    assert f"line 1: memory_id='{group}-1' is not allowed" in refused.err
    copied = [
        json.loads(line) for line in cli("export", "--group", f"{group}_copy").out.split("\n")[:-1]
    ]
    assert [line["content"] for line in copied] == ["one", "two"]
    assert copied[1]["metadata"] == {"k": [1, {"v": None}]}
    assert copied[1]["parent_id"] == copied[0]["memory_id"] != f"{group}-1"
    assert copied[1]["relationships"][0]["target_id"] == copied[0]["memory_id"]


def test_a_pipe_can_be_imported_whatever_bytes_it_has(environment: None) -> None:
    lines = b'\xef\xbb\xbf{"content": "through a pipe"}\n{"content": "\xff"}\n'
    done = subprocess.run([SCRIPT, "import", "-", "--json"], input=lines, capture_output=True)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert (told["stored"], told["failed"], told["errors"][0]["line"]) == (1, 1, 2)
    assert b"Traceback" not in done.stderr


def test_the_demo_tells_a_story_answers_and_leaves_no_trace(cli: Run) -> None:
    told = cli("demo", "--json").json
    assert told["stored"] + told["skipped"] >= 30
    answers = {answer["question"]: answer["results"] for answer in told["answers"]}
    assert len(answers) == 3
    tea, database, launch = (found[0]["content"] for found in answers.values())
    assert "green tea" in tea
    assert "PostgreSQL" in database
    assert "seal" in launch
    assert cli("demo", "--json").json["stored"] == 0
    shown = cli("get", "demo-postgres", "--group", "demo").out
    assert "relation\tdemo-postgres supersedes demo-sqlite\n" in shown
    assert cli("demo", "--clean", "--json").json["removed"] >= 30
    assert cli("list", "--group", "demo").out == ""


def test_the_schema_is_told_and_brought_up(cli: Run) -> None:
    steps = cli("migrate", "status", "--json").json["migrations"]
    assert [step["version"] for step in steps] == [step.version for step in MIGRATIONS]
    assert all(step["applied_at"] for step in steps)
    assert cli("migrate", "up", "--json").json == {"applied": [], "remade": []}
    last = MIGRATIONS[-1].version
    assert cli("migrate", "down", "--to", last, "--json").json == {"removed": []}
    for version in (-1, 99):
        refused = cli("migrate", "down", "--to", version)
        assert refused.code == 2
        assert f"--to={version} is not allowed: it must be from 0 to {last}." in refused.err
    assert cli("migrate", "reindex", "--json").json == {"remade": []}


def test_a_way_down_that_loses_something_is_confirmed(cli: Run, group: str) -> None:
    reached = MIGRATIONS[-1].version
    memory_id = cli("add", "the sky is green", "--json").json["memory_id"]
    cli("reject", memory_id)
    try:
        found = cli("migrate", "down", "--to", 16, "--dry-run", "--json").json["lost"]
        (count,) = (loss["count"] for loss in found if loss["kind"] == "tombstones")
        refused = cli("migrate", "down", "--to", 16)
        assert refused.code == 2
        assert "Migrating down to 16 would permanently delete: " in refused.err
        assert f"tombstones ({count:,})" in refused.err
        assert "It needs --confirm 'DELETE'. Nothing was changed." in refused.err
        assert cli("migrate", "up", "--json").json["applied"] == []
        assert len(cli("tombstones", "list", "--json").json["tombstones"]) == 1
        down = cli("migrate", "down", "--to", 16, "--confirm", "DELETE", "--json").json
        assert down == {"removed": list(range(reached, 16, -1))}
        assert cli("migrate", "down", "--to", 16, "--json").json == {"removed": []}
    finally:
        cli("migrate", "up")
    assert cli("tombstones", "list", "--json").json["tombstones"] == []


def test_verify_names_what_is_wrong(
    cli: Run, group: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ours(graph: object) -> list[str]:
        return [group]

    monkeypatch.setattr("graph_memory.diagnostics.verify.groups", ours)
    memory_id = cli("add", "sound", "--json").json["memory_id"]
    assert cli("verify", "--json").json == {"ok": True, "problems": {}}
    from neo4j import GraphDatabase

    auth = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    with GraphDatabase.driver(settings.neo4j_uri or "", auth=auth) as driver:
        driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) SET m.lifecycle_state = 'GONE', m.importance = 11 "
            "CREATE (m)-[:RELATES_TO {name: 'likes', edge_key: $id}]->(m)",
            id=memory_id,
        )
    result = cli("verify")
    assert result.code == 1
    assert f"{group}\ta memory is in an unknown state\t1\t{memory_id}" in result.out
    assert "importance beyond 1..10" in result.out
    assert "a relation is of an unknown type" in result.out
    assert cli("verify", "--group", f"{group}_2", "--json").json == {"ok": True, "problems": {}}
    cli("delete", memory_id, "--permanent")


def test_missing_embeddings_are_counted_and_made(cli: Run, group: str) -> None:
    cli("add", "with a vector")
    dry = cli("embeddings", "missing", "--dry-run", "--group", group, "--json").json
    assert dry == {"candidates": 0, "rebuilt": 0, "failed": 0}
    made = cli("embeddings", "rebuild", "--group", group, "--json").json
    assert made == {"candidates": 1, "rebuilt": 1, "failed": 0}


def test_the_doctor_finds_a_healthy_service(cli: Run) -> None:
    told = cli("doctor", "--json").json
    status = {check["name"]: check["status"] for check in told["checks"]}
    assert told["ok"]
    assert {"neo4j", "schema", "vectors", "model", "disk", "port"} <= status.keys()


def test_the_doctor_names_a_data_folder_that_is_none(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", "/dev/null/below")
    monkeypatch.delenv("GRAPH_MEMORY_NEO4J_URI", raising=False)
    checks = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert checks["data folder"]["detail"] == "/dev/null is not a folder"
    assert checks["neo4j"]["detail"] == "the local one is not running"


def test_the_doctor_tells_when_an_index_is_not_as_it_is_set(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_VECTOR_EXPANSION", "9")
    (schema,) = (c for c in cli("doctor", "--json").json["checks"] if c["name"] == "schema")
    assert (schema["status"], "memory_embedding_idx" in schema["detail"]) == ("warn", True)
    assert "graph-memory migrate reindex" in schema["remedy"]


def test_the_doctor_tells_of_a_restore_that_was_interrupted(cli: Run, settings: Settings) -> None:
    from neo4j import GraphDatabase

    auth = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    with GraphDatabase.driver(settings.neo4j_uri or "", auth=auth) as driver:
        driver.execute_query(
            "CREATE (:Control {key: 'restore', reason: '/b/backup_1', since: '2026-01-01'})"
        )
        try:
            told = cli("doctor", "--json").json
        finally:
            driver.execute_query("MATCH (c:Control {key: 'restore'}) DELETE c")
    (row,) = (check for check in told["checks"] if check["name"] == "restore")
    assert (told["ok"], row["status"]) == (False, "fail")
    assert "graph-memory restore /b/backup_1" in row["remedy"]


def test_the_doctor_works_without_a_database(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", "bolt://127.0.0.1:1")
    result = cli("doctor", "--json")
    (neo4j,) = (check for check in result.json["checks"] if check["name"] == "neo4j")
    assert (result.code, neo4j["status"]) == (1, "fail")
    assert neo4j["remedy"]
    monkeypatch.delenv("GRAPH_MEMORY_NEO4J_URI")
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path / "none"))
    checks = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert checks["neo4j"]["status"] == "warn"
    assert {"java", "jars"} <= checks.keys()
    assert not (tmp_path / "none").exists()


def test_a_lost_database_is_a_sentence_within_seconds(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", "bolt://127.0.0.1:1")
    result = cli("list", "--json")
    assert (result.code, result.json["error"]["code"]) == (1, "unavailable")
    assert "doctor" in result.err


def test_a_malformed_setting_is_named(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_PORT", "high")
    result = cli("list")
    assert result.code == 2
    assert "GRAPH_MEMORY_PORT" in result.err


def test_what_a_shell_needs_is_printed(cli: Run, settings: Settings) -> None:
    assert cli("db", "shell-uri", "--json").json == {
        "uri": settings.neo4j_uri,
        "user": settings.neo4j_user,
        "password": settings.neo4j_password.get_secret_value(),
        "database": settings.neo4j_database,
    }


def test_an_open_host_needs_a_word(cli: Run, no_tokens: None) -> None:
    result = cli("serve", "--host", "0.0.0.0", "--port", 0)
    assert result.code != 0
    assert "--insecure-no-auth" in result.err


def test_groups_are_listed_and_placed(
    cli: Run, group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("add", "Ada drinks tea").code == 0
    listed = cli("groups", "list", "--json").json["groups"]
    here = {"group_id": group, "server": "home", "memories": 1, "placed": True, "moving": False}
    assert here in listed
    placed = cli("groups", "place", group).out
    assert placed.endswith("rule\tnone, so it is on home\nmove\tnone\n")
    file = tmp_path / "placement.toml"
    monkeypatch.setenv("GRAPH_MEMORY_PLACEMENT_FILE", str(file))
    file.write_text('[[rules]]\nserver = "home"\ngroups = ["test_*"]\n')
    placed = cli("groups", "place", group, "--json").json
    assert (placed["server"], placed["rule"]) == ("home", "rule 1: groups test_*")
    assert placed["move"] == "none"
    assert cli("groups", "moves", "--json").json == {"moves": []}
    there = cli("groups", "move", group, "home")
    assert (there.code, "is there already" in there.err) == (2, True)
    file.write_text('[[rules]]\nserver = "east"\ngroups = ["test_*"]\n')
    refused = cli("groups", "list")
    assert (refused.code, "rules[0].server='east' is not among" in refused.err) == (2, True)
    assert "Correct the file" in cli("doctor").out


def test_tokens_are_made_listed_rotated_and_revoked(cli: Run, group: str, no_tokens: None) -> None:
    made = cli("token", "create", "ci", "--groups", f"{group},b", "--scope", "read", "--days", 2)
    assert "printed only once" in made.err
    secret = dict(line.split("\t") for line in made.out.splitlines())["token"]
    rotated = cli("token", "create", "one", "--json").json
    assert (rotated["groups"], rotated["scope"]) == ([group], "write")
    again = cli("token", "rotate", rotated["token_id"], "--json").json
    assert again["token"] != rotated["token"]
    for token_id in (
        listed := [t["token_id"] for t in cli("token", "list", "--json").json["tokens"]]
    ):
        assert cli("token", "revoke", token_id, "--json").json["revoked_at"]
    assert len(listed) >= 2
    assert secret not in cli("token", "list").out
    assert cli("token", "revoke", "nobody").code == 1
    for empty in ("", " ", ","):
        refused = cli("token", "create", "ci", "--groups", empty)
        assert (refused.code, "--groups=[] is not allowed" in refused.err) == (2, True)
    refused = cli("token", "create", "ci", "--scope", "god")
    assert (refused.code, "--scope" in refused.err) == (2, True)
    assert cli("token", "create", "ci", "--groups", "*", "--json").json["groups"] is None


def test_a_backup_is_made_and_a_restore_asks_before_it_replaces(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORY_BACKUP_PATH", str(tmp_path))
    cli("add", "to be kept")
    made = cli("backup", "--json").json
    assert Path(made["backup_path"]).parent == tmp_path
    assert made["memories_backed_up"] >= 1
    refused = cli("restore", made["backup_path"])
    assert (refused.code, "--replace" in refused.err) == (1, True)
    nothing = cli("restore", tmp_path)
    assert (nothing.code, "is not a backup" in nothing.err) == (1, True)


def test_a_restore_to_a_time_checks_it_before_it_changes_anything(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORY_BACKUP_PATH", str(tmp_path))
    kept = cli("add", "stays after a restore that was refused", "--json").json["memory_id"]
    made = cli("backup", "--json").json["backup_path"]
    later = cli("restore", made, "--replace", "--until", "2999-01-01")
    assert (later.code, "Name a later backup" in later.err) == (1, True)
    unreadable = cli("restore", made, "--replace", "--until", "yesterday")
    assert (unreadable.code, "--until" in unreadable.err, "ISO 8601" in unreadable.err) == (
        2,
        True,
        True,
    )
    assert cli("get", kept).code == 0


def test_the_local_database_starts_stays_and_stops(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("GRAPH_MEMORY_NEO4J_URI")
    monkeypatch.delenv("GRAPH_MEMORY_NEO4J_PASSWORD")
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("GRAPH_MEMORY_LOCAL_FAST_START", "true")
    assert cli("db", "status", "--json").json["running"] is False
    assert cli("db", "shell-uri").code == 1
    assert cli("db", "logs").out == ""
    assert cli("db", "stop", "--json").json == {"stopped": False}
    prepared, status = cli("db", "prepare", "--json").json, cli("db", "status", "--json").json
    assert prepared["version"] == status["version"]
    started = cli("db", "start", "--json").json
    try:
        assert cli("db", "shell-uri", "--json").json["uri"] == started["uri"]
        assert cli("add", "kept at home").err == ""
        assert cli("db", "status", "--json").json["running"] is True
        assert cli("db", "logs", "--lines", 3).out.count("\n") <= 3
    finally:
        assert cli("db", "stop", "--json").json == {"stopped": True}


def test_a_command_on_a_stopped_database_says_that_it_starts_one(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("GRAPH_MEMORY_NEO4J_URI")
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("GRAPH_MEMORY_JAVA", os.devnull)
    result = cli("list")
    assert result.code == 1
    assert result.err.startswith("Starting Neo4j for this command. Keep it running with")
    assert "error: GRAPH_MEMORY_JAVA" in result.err


@pytest.mark.parametrize("ending", ["| true", "> /dev/full", ">&-", "<&- >&-"])
def test_an_error_is_one_sentence_whatever_becomes_of_stdout(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", "bolt://127.0.0.1:1")
    line = f"set -o pipefail; '{SCRIPT}' list --json {ending}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    (said,) = done.stderr.splitlines()
    assert said.startswith("error: Neo4j at bolt://127.0.0.1:1 does not answer")


@pytest.mark.parametrize("command", ["--help", "migrate status", "list"])
def test_a_reader_may_stop_reading(command: str, environment: None) -> None:
    line = f"set -o pipefail; '{SCRIPT}' {command} | true"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_result_that_cannot_be_written_is_an_error() -> None:
    line = f"'{SCRIPT}' db status --json > /dev/full"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "error: stdout: No space left on device.\n")


def test_an_interrupted_search_shows_what_it_waited_for_and_ends(environment: None) -> None:
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, "search", "tea"], stdin=end, stdout=end, stderr=end, start_new_session=True
    ) as command:
        os.close(end)
        shown = ""
        while "Loading the model" not in shown:
            shown += os.read(terminal, 1024).decode(errors="replace")
        command.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(terminal, 1024):
                shown += part.decode(errors="replace")
        assert command.wait(60) == 130
    os.close(terminal)
    assert "error: Interrupted." in shown
    assert "Traceback" not in shown
