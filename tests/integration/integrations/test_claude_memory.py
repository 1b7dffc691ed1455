"""The memory tool of Claude answers as the SDK's own does, and keeps its files as memories."""

from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaAsyncLocalFilesystemMemoryTool

from graph_memory import GraphMemory
from graph_memory.errors import NotFoundError
from graph_memory.integrations.claude_memory import GraphMemoryTool

#: Commands as a model sends them: each kind, on files and directories, and mistakes of each kind.
COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/ada.md", "file_text": "Ada\ndrinks\ngreen tea\n"},
    {"command": "create", "path": "/memories/ada.md", "file_text": "again"},
    {"command": "create", "path": "/memories/work/plan.md", "file_text": "One\r\nTwo é 茶\n\n"},
    {"command": "create", "path": "/memories/work/copy.md", "file_text": "One\r\nTwo é 茶\n\n"},
    {"command": "create", "path": "/memories/work/empty", "file_text": ""},
    {"command": "create", "path": "/memories/../etc/passwd", "file_text": "x"},
    {"command": "create", "path": "/etc/passwd", "file_text": "x"},
    {"command": "view", "path": "/memories/ada.md"},
    {"command": "view", "path": "/memories/ada.md", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/ada.md", "view_range": [2, -1]},
    {"command": "view", "path": "/memories/bob.md"},
    {"command": "str_replace", "path": "/memories/ada.md", "old_str": "green", "new_str": "oolong"},
    {"command": "str_replace", "path": "/memories/ada.md", "old_str": "d", "new_str": "D"},
    {"command": "str_replace", "path": "/memories/ada.md", "old_str": "milk", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/work", "old_str": "a", "new_str": "b"},
    {"command": "str_replace", "path": "/memories/bob", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": "/memories/ada.md", "insert_line": 0, "insert_text": "# Ada\n"},
    {"command": "insert", "path": "/memories/ada.md", "insert_line": 9, "insert_text": "x"},
    {"command": "insert", "path": "/memories/work/empty", "insert_line": 0, "insert_text": "x"},
    {"command": "view", "path": "/memories/ada.md"},
    {"command": "view", "path": "/memories/work/plan.md"},
    {"command": "rename", "old_path": "/memories/work", "new_path": "/memories/old/work"},
    {"command": "rename", "old_path": "/memories/old/work/copy.md", "new_path": "/memories/b.md"},
    {"command": "rename", "old_path": "/memories/b.md", "new_path": "/memories/ada.md"},
    {"command": "rename", "old_path": "/memories/none", "new_path": "/memories/some"},
    {"command": "view", "path": "/memories/old/work/plan.md"},
    {"command": "view", "path": "/memories/b.md"},
    {"command": "delete", "path": "/memories/old"},
    {"command": "delete", "path": "/memories/old"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/b.md"},
    {"command": "create", "path": "/memories/b.md", "file_text": "One\r\nTwo é 茶\n\n"},
    {"command": "view", "path": "/memories/b.md"},
]


async def answered(tool: Any, command: dict[str, Any]) -> Any:
    """Call a tool as the runner does; return the result, or the error for the model."""
    try:
        return await tool.call(command)
    except ToolError as error:
        return error.content


async def test_the_tool_answers_as_the_one_of_the_sdk(memory: GraphMemory, tmp_path: Path):
    own = GraphMemoryTool(memory)
    theirs = BetaAsyncLocalFilesystemMemoryTool(str(tmp_path))
    assert (own.to_dict(), own.name) == (theirs.to_dict(), "memory")
    for command in COMMANDS:
        given = await answered(GraphMemoryTool(memory), command)  # as after a restart
        wanted = await answered(theirs, command)
        if command != COMMANDS[0]:
            assert given == wanted, command
    listing = await answered(own, {"command": "view", "path": "/memories"})
    assert [line.split("\t")[1] for line in listing.splitlines()[1:]] == [
        "/memories",
        "/memories/ada.md",
        "/memories/b.md",
    ]
    left = await memory.list()
    assert {file.content for file in left.memories} == {
        "/memories/ada.md\n# Ada\nAda\ndrinks\noolong tea\n",
        "/memories/b.md\nOne\r\nTwo é 茶\n\n",
    }
    assert {file.decay_policy for file in left.memories} == {"none"}


async def test_edits_and_moves_are_versions_and_a_deletion_can_be_undone(memory: GraphMemory):
    tool = GraphMemoryTool(memory)
    path, moved = "/memories/ada.md", "/memories/people/ada.md"
    await tool.call({"command": "create", "path": path, "file_text": "Ada prefers green tea"})
    (file,) = (await memory.list()).memories
    await tool.call(
        {"command": "str_replace", "path": path, "old_str": "green tea", "new_str": "coffee"}
    )
    await tool.call({"command": "rename", "old_path": path, "new_path": moved})
    now = await memory.get(file.memory_id)
    assert (now.content, now.metadata) == (f"{moved}\nAda prefers coffee", {"path": moved})
    assert len(await memory.lifecycle.origins(file.memory_id)) == 3
    found = await memory.search("What does Ada drink?", limit=1)
    assert found[0].memory.memory_id == file.memory_id
    await tool.call({"command": "delete", "path": moved})
    with pytest.raises(NotFoundError):
        await memory.get(file.memory_id)
    await memory.lifecycle.recover(file.memory_id)
    view = await tool.call({"command": "view", "path": moved})
    assert str(view).endswith("     1\tAda prefers coffee")


async def test_what_is_refused_is_said_to_the_model(memory: GraphMemory):
    settings = memory.settings.model_copy(update={"max_content_characters": 100})
    small = GraphMemory.over(memory.context.graph, memory.context.embedder, settings)
    tool = GraphMemoryTool(small)
    long = {"command": "create", "path": "/memories/a", "file_text": "x" * 200}
    with pytest.raises(ToolError, match="100"):
        await tool.call(long)
    await small.close()


async def test_more_files_than_a_page_and_foreign_paths(memory: GraphMemory, tmp_path: Path):
    outside, tag = tmp_path / "outside", "claude-memory-tool"
    foreign = (
        *("", "/memories/", "/memories", "/memories//a", "/memories/01/below", str(outside)),
        *("/memories/../../outside", f"/memories/../../../../../..{outside}", "/memories/a\0b"),
    )
    for path in foreign:
        await memory.add(f"foreign {path!r}", tags=[tag], metadata={"path": path})
    texts = [
        {
            "content": f"/memories/{number:02}\nNote {number}",
            "tags": [tag],
            "metadata": {"path": f"/memories/{number:02}"},
        }
        for number in range(2, 62)
    ]
    await memory.add_many(texts)
    listing = await GraphMemoryTool(memory).call({"command": "view", "path": "/memories"})
    assert len(str(listing).splitlines()) == 2 + 60 + 2  # /memories/01/ and what is below
    assert not outside.exists()
    assert await memory.count() == 60 + len(foreign)
