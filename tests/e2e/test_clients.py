"""Clients of other versions and makers, each in an environment of its own, against one server."""

import asyncio
import sys
from pathlib import Path

import pytest

from graph_memory import GraphMemory
from tests.support.mcp_client import serving

PROGRAMS = Path(__file__).parents[1] / "data/clients"
CLIENTS = [
    ("mcp_sdk.py", ["mcp==1.9.4", "pydantic<2.12"]),
    ("mcp_sdk.py", ["mcp==1.12.4", "pydantic<2.12"]),
    ("mcp_sdk.py", ["mcp==1.30.0"]),
    ("fastmcp_client.py", ["fastmcp==2.14.0", "mcp==1.30.0", "pydantic-settings"]),
    ("fastmcp_client.py", ["fastmcp==3.4.0"]),
    ("fastmcp_client.py", ["fastmcp==4.2.3"]),
    ("smolagents_tools.py", ["smolagents[mcp]==1.26.0", "mcp<2"]),
]


async def run_in_own_environment(program: Path, packages: list[str], url: str, at: Path) -> str:
    """Run a program with packages that the tests do not have; return its output."""
    wanted = [word for package in packages for word in ("--with", package)]
    uv = str(Path(sys.executable).with_name("uv"))
    start = (uv, "run", "--quiet", "--isolated", "--no-project", "--python", "3.11", *wanted)
    running = await asyncio.create_subprocess_exec(
        *start,
        *("python", "-W", "ignore", str(program), url),
        cwd=at,  # uv would use the environment of the checkout
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await running.communicate()
    assert running.returncode == 0, errors.decode()
    return out.decode()


@pytest.mark.stress
@pytest.mark.parametrize(("program", "packages"), CLIENTS, ids=str)
async def test_a_client_lists_adds_and_searches(
    program: str, packages: list[str], memory: GraphMemory, tmp_path: Path
) -> None:
    await memory.add("Ada prefers green tea")
    async with serving(memory) as url:
        path = PROGRAMS / program
        out = await run_in_own_environment(path, packages, f"{url}/mcp", tmp_path)
    names, said, *rest = out.splitlines()
    assert {"add_memory", "search_memory"} <= set(names.split())
    assert said == "added"
    assert "Ada prefers green tea" in out
    if program != "smolagents_tools.py":
        assert any(line.startswith("True") and "limit" in line for line in rest)
        assert "://" in rest[-1]
