"""Progress of downloads and starts: a bar on a terminal, log lines elsewhere."""

import contextlib
import logging
import sys
import time
from collections.abc import Callable, Generator

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def download_progress(jars: int, total: int) -> Generator[Callable[[int], None]]:
    """Show the progress of a download; yield a function that takes the bytes of each part."""
    what = f"{jars} jars of Neo4j, {total / 2**20:.0f} MiB"
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TransferSpeedColumn,
        )

        columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
        console = Console(stderr=True)
        with Progress(*columns, TransferSpeedColumn(), console=console, transient=True) as bar:
            task = bar.add_task("Fetching Neo4j", total=total)
            yield lambda count: bar.advance(task, count)
        return
    _log.info("Fetching %s", what)
    began = time.monotonic()
    yield lambda count: None
    _log.info("Fetched %s in %.1f s", what, time.monotonic() - began)


@contextlib.contextmanager
def start_progress(version: str) -> Generator[None]:
    """Show that Neo4j is starting, for seconds to a minute."""
    _log.info("Starting Neo4j %s", version)
    began = time.monotonic()
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(f"Starting Neo4j {version}"):
            yield
    else:
        yield
    _log.info("Neo4j %s is ready after %.1f s", version, time.monotonic() - began)
