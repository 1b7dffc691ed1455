"""The programs of docs/guides/frameworks.md for frameworks that call the server over MCP.

Each runs in an environment of its own, because the frameworks need other versions of what the
tests need.
"""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest

from graph_memory import GraphMemory
from tests.support.mcp_client import serving
from tests.support.pages import Block, blocks

PROGRAMS = blocks("docs/guides/frameworks.md", "py")


def test_each_program_names_its_package():
    named = [program.text.split("==")[0] for program in PROGRAMS]
    assert named == [
        "# pip install langchain-mcp-adapters",
        "# pip install llama-index-tools-mcp",
        "# pip install 'pydantic-ai-slim[mcp]",
        "# pip install 'crewai-tools[mcp]",
        "# pip install google-adk",
    ]


@pytest.mark.stress
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda block: block.text.split("==")[0][14:])
async def test_a_framework_calls_the_tools(program: Block, memory: GraphMemory, tmp_path: Path):
    await memory.add("Ada prefers green tea")
    comment = program.text.splitlines()[0]
    packages = shlex.split(comment.removeprefix("# pip install "))
    wanted = [word for package in packages for word in ("--with", package)]
    uv = str(Path(sys.executable).with_name("uv"))
    start = (uv, "run", "--quiet", "--isolated", "--no-project", "--python", "3.11", *wanted)
    async with serving(memory) as url:
        text = program.text.replace("http://127.0.0.1:8765", url)
        running = await asyncio.create_subprocess_exec(
            *start,
            *("python", "-W", "ignore", "-c", text),
            cwd=tmp_path,  # uv would use the environment of the checkout
            env=os.environ | {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await running.communicate()
    assert running.returncode == 0, errors.decode()
    assert "Ada prefers green tea" in out.decode()
