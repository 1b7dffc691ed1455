"""The files of Claude's memory tool as memories; needs the extra `anthropic`.

The SDK's own tool runs each command in a private folder with a copy of the files, so that answers
and errors read as Claude knows them. What it changed is stored: a file is a memory that does not
fade, an edit or a move is a new version. Its content begins with its path: no two are equal.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaFunctionToolResultType, ToolError
from anthropic.tools import BetaAsyncLocalFilesystemMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818Param

from graph_memory.api.service import GraphMemory
from graph_memory.domain.models import Memory
from graph_memory.errors import GraphMemoryError

_Texts = Mapping[str, str]
_TAG = "claude-memory-tool"


class GraphMemoryTool(BetaAsyncBuiltinFunctionTool):
    """A memory tool for `client.beta.messages.tool_runner(tools=[...])`; one for each group."""

    def __init__(self, memory: GraphMemory, *, group_id: str | None = None) -> None:
        """Use a service that is open; the caller closes it. `group_id` None is the default."""
        self._memory, self._group = memory, memory.group(group_id)
        self._one_at_a_time = asyncio.Lock()

    def to_dict(self) -> BetaMemoryTool20250818Param:
        """Return the tool as the API expects it."""
        return {"type": "memory_20250818", "name": "memory"}

    async def call(self, input: object) -> BetaFunctionToolResultType:
        """Run a command of the model, and store what it changed.

        Raises:
            ToolError: A message for the model, such as that a path does not exist.
        """
        async with self._one_at_a_time:
            with TemporaryDirectory(prefix="graph-memory-") as folder:
                files = await self._files()
                before = await asyncio.to_thread(_copied, Path(folder), files)
                answer = await BetaAsyncLocalFilesystemMemoryTool(folder).call(input)
                after = await asyncio.to_thread(_read, Path(folder))
            try:
                await self._store(files, before, after)
            except GraphMemoryError as error:
                raise ToolError(str(error)) from error
            return answer

    async def _files(self) -> dict[str, Memory]:
        """Return the files of the group by path."""
        found: dict[str, Memory] = {}
        cursor, group = None, self._group
        while True:
            page = await self._memory.list(tags=[_TAG], limit=50, cursor=cursor, group_id=group)
            found |= {str(file.metadata.get("path")): file for file in page.memories}
            if (cursor := page.next_cursor) is None:
                return found

    async def _store(self, files: Mapping[str, Memory], before: _Texts, after: _Texts) -> None:
        """Store the difference of two states. One command adds, deletes or moves files."""
        memory, group = self._memory, self._group
        gone, new = sorted({*before} - {*after}), sorted({*after} - {*before})
        sources = dict(zip(new, gone, strict=True)) if gone and new else {}
        for path, text in after.items():
            content, source = f"{path}\n{text}", sources.get(path, path)
            if source not in before:
                more = {"path": path}
                await memory.add(
                    content, tags=[_TAG], metadata=more, decay_policy="none", group_id=group
                )
            elif (source, before[source]) != (path, text):
                id_, more = files[source].memory_id, {**files[source].metadata, "path": path}
                await memory.update(id_, content=content, metadata=more, group_id=group)
        for path in () if new else gone:
            await memory.delete(files[path].memory_id, group_id=group)


def _copied(folder: Path, files: Mapping[str, Memory]) -> dict[str, str]:
    """Write files, and return those that were written. No path leads out of the folder."""
    for path, file in files.items():
        plain, copy = PurePosixPath(path), folder / path[1:]
        if path.startswith("/memories/") and str(plain) == path and ".." not in plain.parts:
            with suppress(OSError, ValueError):  # another client named a file like a directory
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(file.content.partition("\n")[2].encode())
    return _read(folder)


def _read(folder: Path) -> dict[str, str]:
    """Return the texts of all files by path."""
    found = (each for each in sorted(folder.rglob("*")) if each.is_file())
    return {f"/{each.relative_to(folder).as_posix()}": each.read_bytes().decode() for each in found}
