"""A harness that runs the hooks of a file in config/plugins as Claude Code, Codex and Cursor do."""

import asyncio
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import TextContent

REPOSITORY = Path(__file__).parents[2]
PLUGINS = REPOSITORY / "config" / "plugins"

#: Events whose plain output is added to the context.
_ADDING = ("SessionStart", "UserPromptSubmit")


@dataclass
class Harness:
    """A harness with the hooks of a file, and a server at a URL."""

    file: Path
    url: str
    client: Client
    cwd: str = "/home/ada/ferry-timetable"
    seconds: list[float] = field(default_factory=list)

    async def fire(self, event: str, **fields: Any) -> str:
        """Run the hooks of an event, and return what they add to the context."""
        payload = {"hook_event_name": event, **self._common(), **fields}
        hooks = json.loads(self.file.read_text(encoding="utf-8"))["hooks"].get(event, [])
        handlers = [each for group in hooks for each in group.get("hooks", [group])]
        added = [await self._run(event, handler, payload) for handler in handlers]
        return "\n".join(filter(None, added))

    def _common(self) -> dict[str, Any]:
        if self.file.parent.name == "cursor":
            return {"cursor_version": "3.20.17", "workspace_roots": [self.cwd]}
        return {"cwd": self.cwd, "permission_mode": "default", "transcript_path": None}

    async def _run(self, event: str, handler: dict[str, Any], payload: dict[str, Any]) -> str:
        began = asyncio.get_running_loop().time()
        if handler.get("type") == "mcp_tool":
            output = await self._call(handler, payload)
        else:
            output = await self._command(handler["command"], payload)
        self.seconds.append(asyncio.get_running_loop().time() - began)
        return self._added(event, output)

    async def _call(self, handler: dict[str, Any], payload: dict[str, Any]) -> str:
        """Call a tool; `${field}` is the field of the event, and stays if there is none."""
        given = {
            name: re.sub(
                r"\$\{(\w+)\}", lambda found: str(payload.get(found[1], found[0])), template
            )
            for name, template in handler["input"].items()
        }
        result = await self.client.call_tool(handler["tool"], given)
        assert not result.is_error, result.content
        assert result.structured_content is None
        (block,) = result.content
        assert isinstance(block, TextContent)
        return block.text

    async def _command(self, command: str, payload: dict[str, Any]) -> str:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=hook_environment(self.url),
        )
        out, _ = await process.communicate(json.dumps(payload).encode())
        assert process.returncode == 0
        return out.decode().strip()

    def _added(self, event: str, output: str) -> str:
        """Return what an output adds: JSON decides, plain text is added at some events only."""
        if output.startswith("{"):
            decided = json.loads(output)
            assert decided.get("continue", True), "a hook must not block"
            assert "decision" not in decided
            return str(decided.get("additional_context", ""))
        if not output:
            return ""
        assert event in _ADDING, f"{event} takes JSON only"
        return output


def hook_environment(url: str, seconds: float = 60) -> dict[str, str]:
    """Return the environment of a hook: the command on the path, the server, and its time."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return {
        "PATH": path,
        "PYTHONPATH": str(REPOSITORY),
        "GRAPH_MEMORY_URL": url,
        "GRAPH_MEMORY_HOOK_SECONDS": str(seconds),
        "HOME": os.environ.get("HOME", "/"),
    }
