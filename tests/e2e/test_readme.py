"""The README tells the truth: what it shows runs, and it lists every command and tool."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from graph_memory import Settings, errors
from graph_memory.server.app import TOOLSETS

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def environment(settings: Settings, group: str) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_USER": settings.neo4j_user,
        "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_DATA_DIR": str(settings.data_dir),
        "GRAPH_MEMORY_GROUP_ID": group,
    }


def test_the_console_session_runs_in_order(environment: dict[str, str], tmp_path: Path) -> None:
    (session,) = blocks("console")
    for line in session.splitlines():
        command = shlex.split(line.removeprefix("$ "))
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        if "offer Ada" in line:
            assert "green tea" in done.stdout.splitlines()[0]


def test_the_python_example_runs(environment: dict[str, str], tmp_path: Path) -> None:
    (example,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "Grace drinks black coffee" in done.stdout


def test_the_data_to_evaluate_is_found(environment: dict[str, str], tmp_path: Path) -> None:
    (example,) = (block for block in blocks("json") if '"questions"' in block)
    (tmp_path / "DATA.json").write_text(example)
    done = subprocess.run(
        [BIN / "graph-memory", "evaluate", "DATA.json", "--json", "--plot", "found.svg"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"][0]["recall"]["5"] == 1
    assert (tmp_path / "found.svg").exists()


def test_the_make_targets_of_the_readme_exist() -> None:
    wanted = set(re.findall(r"^make (\w+)", "\n".join(blocks("sh")), re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    assert wanted >= {"serve", "test", "check"}
    assert wanted <= targets


@pytest.mark.parametrize(
    "name", [tool.name for parts in TOOLSETS.values() for part in parts for tool in part.tools]
)
def test_every_tool_is_in_the_readme(name: str) -> None:
    assert f"`{name}`" in README


def test_every_code_of_a_tools_error_is_in_the_readme() -> None:
    elsewhere = {"format", "local_neo4j", "statement"}  # of commands, and told as `failed`
    codes = {kind.code for kind in vars(errors).values() if hasattr(kind, "code")}
    section = README[README.index("Codes: ") : README.index("## Commands")]
    assert codes - elsewhere == set(re.findall(r"`([a-z_]+)`", section)) - {"existing_id"}


def test_both_proxies_pass_the_endpoint_and_its_oauth_metadata() -> None:
    (nginx,), (caddy,) = blocks("nginx"), blocks("caddy")
    (location,) = re.findall(r"location ~ (\S+) ", nginx)
    (paths,) = re.findall(r"@memory path (.*)", caddy)
    for path in ("/mcp", "/.well-known/oauth-protected-resource/mcp"):
        assert re.search(location, path)
        assert path in paths.split()
    for path in ("/healthz", "/metrics", "/mcp/x"):
        assert not re.search(location, path)
    assert not re.search(r"\{ *[^\n]|[^\s] *\}", caddy)  # Caddy wants each brace to end its line


def test_every_command_is_in_the_readme() -> None:
    from tests.e2e.test_cli import command_paths

    table = README[README.index("## Commands") : README.index("## How it works")]
    for path in command_paths():
        assert all(re.search(rf"\b{word}\b", table) for word in path), path
