"""The process of a server: signals, tasks that end together, and the log."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any

_log = logging.getLogger(__name__)

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


async def until_cancelled(work: Coroutine[Any, Any, None], end: Callable[[], None]) -> None:
    """Run `work`. A cancellation calls `end`, after which `work` finishes regularly."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        end()
        await task


async def until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run several works at once. When one ends, or at a cancellation, end all in their order."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
            await asyncio.wait([task])
    for task in tasks:
        if not task.cancelled():
            task.result()


async def until_signalled(work: Coroutine[Any, Any, None]) -> None:
    """Run `work`. SIGINT and SIGTERM cancel it, so that it closes its resources."""
    task = asyncio.create_task(work)

    def cancel() -> None:
        if not task.cancelling():  # a second signal must not interrupt the shutdown
            _log.info("Shutting down.")
            task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, cancel)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        _log.info("Stopped.")
    if not task.cancelled():
        task.result()


def log_to_stderr() -> None:
    """Log our events, and warnings of libraries, to stderr; stdout may carry the protocol.

    Commands log plain sentences; the service adds the time, the level and the module.
    """
    logging.basicConfig(stream=sys.stderr)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(logging.Formatter(_LOG_FORMAT))
    logging.getLogger("graph_memory").setLevel(logging.INFO)
