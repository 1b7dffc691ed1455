"""A type checker finds misspelt arguments and unknown words in calls of the public API."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from graph_memory import Filters, GraphMemory


async def right(memory: GraphMemory) -> None:
    await memory.add("tea", importance=3, memory_type="preference", tags=["ada"])
    await memory.search("tea", limit=3, memory_types=["fact"], as_of="2026-01-01")
    await memory.search("tea", filters=Filters(tags=("ada",)))
    await memory.relations.add("a", "b", "causes", strength=0.5)


async def wrong(memory: GraphMemory) -> None:
    await memory.add("tea", importence=3)
    await memory.add("tea", memory_type="prefrence")
    await memory.search("tea", tag="ada")
    await memory.relations.add("a", "b", "causes", strenght=0.5)
"""


def test_wrong_calls_are_found_and_right_ones_pass(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    lines = [PROGRAM.splitlines()[each["range"]["start"]["line"]] for each in found]
    wrong = PROGRAM.partition("async def wrong")[2].splitlines()[1:]
    assert sorted(set(lines)) == sorted(wrong), found
