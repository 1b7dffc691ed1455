"""The README and the pages of docs/ name only what there is: commands, settings, files, targets."""

import json
import re
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import pytest
import typer
import typer.main

from graph_memory import Settings, read_settings
from graph_memory.cli.app import app
from tests.support.pages import REPOSITORY, Block, all_blocks, blocks, page_names, read

LINES = [
    (block.page, line.removeprefix("$ "))
    for block in all_blocks("sh", "console")
    for line in re.sub(r"\\\n", " ", block.text).splitlines()
    if line.strip() and not line.startswith("#")
]

#: Programs that the pages name beside our own, and which the tests do not start.
OTHERS = {"buildah", "claude", "code", "codex", "docker", "pip", "podman", "promtool", "psql"}
OTHERS |= {"source", "uv", "uvx"}

#: Variables that are no settings of the service; the command `hook` reads the last three.
VARIABLES = {"CONFIG", "TEST_NEO4J_URI", "NAME", "URL", "TOKEN", "HOOK_SECONDS"}

COMPLETION = {"--install-completion", "--show-completion"}

COMMANDS: Any = typer.main.get_command(app)


def parse(words: Sequence[str], *, whole: bool = True) -> None:
    """Parse a command as the command line does, and run nothing.

    Without `whole`, an argument may be missing. To parse the options for completion acts at once.

    Raises:
        TyperException: The command does not exist, or does not take these arguments or options.
    """
    assert not set(words) & COMPLETION or len(words) == 1
    rest = [word for word in words if word not in COMPLETION]
    command, name, parent = COMMANDS, "graph-memory", None
    try:
        while whole or rest:
            context = command.make_context(name, rest, parent=parent)
            rest = [*getattr(context, "_protected_args", ()), *context.args]
            if not hasattr(command, "commands"):
                return
            name, command, rest = command.resolve_command(context, rest)
            parent = context
    except typer.Exit:  # --version
        return
    except typer.TyperException as error:
        if whole or "Missing" not in error.format_message():
            raise


@pytest.mark.parametrize("block", all_blocks("json"), ids=lambda block: block.page)
def test_json_is_valid(block: Block) -> None:
    assert json.loads(block.text)


@pytest.mark.parametrize("block", all_blocks("sh", "console"), ids=lambda block: block.page)
def test_the_variables_of_a_block_are_settings_with_such_values(
    block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    assigned = r"(?:^|export )(GRAPH_MEMORY_\w+)=(\S+)"
    for name, value in re.findall(assigned, block.text, re.MULTILINE):
        assert name.removeprefix("GRAPH_MEMORY_").lower() in Settings.model_fields, name
        monkeypatch.setenv(name, value)
    assert read_settings()


@pytest.mark.parametrize(("page", "line"), [line for line in LINES if "graph-memory " in line[1]])
def test_a_command_has_arguments_and_options_that_it_takes(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    for place, word in enumerate(words):
        given = words[place + 1 :]
        # Other programs name our server and package by the same word.
        ours = place == 0 or (given[:1] and given[0] in COMMANDS.commands)
        if word.rpartition("/")[2] == "graph-memory" and ours:
            parse(given)


def test_a_command_with_something_that_it_does_not_take_is_found() -> None:
    for words in ("forecast --dayz 3", "forecast --days many", "db stat", "undo", "demo now"):
        with pytest.raises(typer.TyperException):
            parse(words.split())


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_line_of_shell_names_only_what_there_is(page: str, line: str) -> None:
    words = shlex.split(line.removeprefix("$ "), comments=True)
    while words and (words[0] == "export" or re.fullmatch(r"[A-Z_0-9]+=.*", words[0])):
        words = words[1:]
    if not words:
        return
    program = words[0].rpartition("/")[2]
    if program == "make":
        assert set(words[1:]) <= make_targets()
    elif words[:2] == ["python", "-m"]:
        assert find_spec(words[2]), f"{page}: {words[2]}"
    else:
        assert program in OTHERS | {"graph-memory"}, f"{page}: what is {program}?"
    for word in words[1:]:
        if re.match(r"(config|docker|docs)/", word):
            assert (REPOSITORY / word).exists(), f"{page}: {word}"


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
                parse(shlex.split(command), whole=False)
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
