"""The README and the pages of docs/ are true: what they show runs, or is at least what there is.

Console sessions and Python programs run. Lines of `sh` may need other software or another machine,
so their commands, options, settings, files and targets are looked up.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

from graph_memory import GraphMemory, Settings, read_settings
from graph_memory.cli.app import app
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.pages import REPOSITORY, Block, all_blocks, blocks, page_names, read

SESSIONS = [page for page in page_names() if blocks(page, "console")]
PROGRAMS = all_blocks("python")
LINES = [
    (block.page, line)
    for block in all_blocks("sh")
    for line in re.sub(r"\\\n", " ", block.text).splitlines()
    if line.strip() and not line.startswith("#")
]

#: Programs that the pages name beside our own, and which the tests do not start.
OTHERS = {"buildah", "claude", "code", "codex", "docker", "pip", "podman", "promtool", "psql"}
OTHERS |= {"source", "uv", "uvx"}

#: Variables that are no settings of the service; the command `hook` reads the last three.
VARIABLES = {"CONFIG", "TEST_NEO4J_URI", "NAME", "URL", "TOKEN", "HOOK_SECONDS"}


@pytest.mark.parametrize("page", SESSIONS)
def test_a_console_session_runs_in_order(
    page: str,
    cli: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console"):
        for line in block.text.splitlines():
            program, *arguments = shlex.split(line.removeprefix("$ "))
            assert program == "graph-memory"
            result = cli(*arguments)
            assert result.code == 0, f"{line}\n{result.out}{result.err}"
            if "offer Ada" in line:
                assert "green tea" in result.out.splitlines()[0]


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


@pytest.mark.parametrize("block", all_blocks("json"), ids=lambda block: block.page)
def test_json_is_valid(block: Block) -> None:
    assert json.loads(block.text)


@pytest.mark.parametrize("block", all_blocks("sh"), ids=lambda block: block.page)
def test_the_variables_of_a_block_are_settings_with_such_values(
    block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    assigned = r"(?:^|export )(GRAPH_MEMORY_\w+)=(\S+)"
    for name, value in re.findall(assigned, block.text, re.MULTILINE):
        assert name.removeprefix("GRAPH_MEMORY_").lower() in Settings.model_fields, name
        monkeypatch.setenv(name, value)
    assert read_settings()


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_line_of_shell_names_only_what_there_is(page: str, line: str) -> None:
    words = shlex.split(line.removeprefix("$ "), comments=True)
    while words and (words[0] == "export" or re.fullmatch(r"[A-Z_0-9]+=.*", words[0])):
        words = words[1:]
    if not words:
        return
    program = words[0].rpartition("/")[2]
    if program == "graph-memory":
        check_command(words[1:])
    elif program == "make":
        assert set(words[1:]) <= make_targets()
    else:
        assert program in OTHERS, f"{page}: what is {program}?"
    for word in words[1:]:
        if re.match(r"(config|docker|docs)/", word):
            assert (REPOSITORY / word).exists(), f"{page}: {word}"


def check_command(words: list[str]) -> None:
    """Check that a command and its options exist; options of all commands may stand before it."""
    command: Any = typer.main.get_command(app)
    known = {option for each in command.params for option in each.opts} | {"--install-completion"}
    given = iter(words)
    options: list[str] = []
    for word in given:
        if word.startswith("--"):
            options.append(word.partition("=")[0])
            if word == "--group":
                next(given)
        elif commands := getattr(command, "commands", {}):
            assert word in commands, f"{words}: there is no command {word}"
            command = commands[word]
            known |= {option for each in command.params for option in each.opts}
    assert set(options) <= known, f"{words}: {sorted({*options} - known)}"
    assert words


def make_targets() -> set[str]:
    return set(re.findall(r"^(\w+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))


def test_the_make_targets_of_the_readme_exist() -> None:
    shown = "\n".join(block.text for block in all_blocks("sh"))
    wanted = set(re.findall(r"^make (\w+)", shown, re.MULTILINE))
    assert wanted >= {"serve", "test", "check", "docs"}
    assert wanted <= make_targets()


@pytest.mark.parametrize("page", page_names())
def test_a_page_names_only_settings_commands_and_files_there_are(page: str) -> None:
    text = read(page)
    for name in re.findall(r"GRAPH_MEMORY_([A-Z0-9_]*[A-Z0-9])", text):
        if f"GRAPH_MEMORY_{name}_" not in text.replace(f"GRAPH_MEMORY_{name}_`", ""):
            assert name in VARIABLES or name.lower() in Settings.model_fields, name
    if page != "docs/reference/commands.md":
        for command in re.findall(r"`graph-memory ([^`\n]+)`", text):
            if not command.startswith(("COMMAND", "help")):
                check_command(shlex.split(command))
    for path in re.findall(r"`((?:config|docker|cypher|tests|docs)/[^`\s*]+)`", text):
        if "_build" not in path and "<" not in path:
            assert (REPOSITORY / path).exists(), path
    assert set(re.findall(r"`make (\w+)`", text)) <= make_targets()


def test_both_proxies_pass_the_endpoint_and_its_oauth_metadata() -> None:
    deploy = "docs/guides/deploy.md"
    (nginx,), (caddy,) = blocks(deploy, "nginx"), blocks(deploy, "caddy")
    (location,) = re.findall(r"location ~ (\S+) ", nginx.text)
    (paths,) = re.findall(r"@memory path (.*)", caddy.text)
    for path in ("/mcp", "/.well-known/oauth-protected-resource/mcp"):
        assert re.search(location, path)
        assert path in paths.split()
    for path in ("/healthz", "/metrics", "/mcp/x"):
        assert not re.search(location, path)
    # Caddy wants each brace to end its line
    assert not re.search(r"\{ *[^\n]|[^\s] *\}", caddy.text)


def test_the_readme_fits_on_a_page() -> None:
    lines = read("README.md").splitlines()
    assert len(lines) <= 150
    assert len(read("README.md").split()) <= 1200
    assert max(map(len, lines)) <= 130


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/index.md"])
def test_links_lead_to_files_there_are(page: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", read(page)):
        assert (REPOSITORY / page).parent.joinpath(link).exists(), link


def test_every_page_can_be_reached_from_the_navigation() -> None:
    shown = set(re.findall(r"^(?:[\w-]+/)?[\w-]+$", read("docs/index.md"), re.MULTILINE))
    shown |= {f"reference/{name}" for name in read("docs/reference/index.md").split()}
    for page in page_names():
        if page not in ("README.md", "docs/index.md"):
            assert page.removeprefix("docs/").removesuffix(".md") in shown
