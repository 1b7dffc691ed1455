"""Turns of the processes of a test run, which share one Neo4j.

Each test works in groups of its own, so tests run beside each other. Two things they cannot share:

    the database   a test that is marked `alone` changes or counts what others see, such as the
                   schema; a module that uses the fixture `whole_database` does so between its
                   tests, too
    the run        a database has one maintenance run at a time
"""

import asyncio
import os
from collections.abc import Iterator, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from filelock import FileLock, ReadWriteLock

from graph_memory.database.lease import Lease

#: Fixtures with which a test changes what other tests see.
_ALONE = frozenset({"alone", "no_tokens", "restored"})

#: A fixture of each test that uses the database of all tests; some have other `settings`.
_OF_SHARED = "jvm_options"

#: A test waits for the longest one beside it.
_WAIT_SECONDS = 900.0


def shared_folder(config: pytest.Config) -> Path | None:
    """Return the folder of all processes of a test run; None if this is the only one."""
    base = config.option.basetemp
    return Path(base).parent if "PYTEST_XDIST_WORKER" in os.environ else None


@contextmanager
def turn(item: pytest.Item) -> Iterator[None]:
    """Wait until a test may use the database, and keep it until the test has ended."""
    folder, fixtures = shared_folder(item.config), set(getattr(item, "fixturenames", ()))
    if folder is None or _OF_SHARED not in fixtures:
        yield
        return
    runs = _run_lock(folder)
    marks = {mark.name for mark in item.iter_markers()}
    with (
        _of_database(folder, marks, fixtures),
        runs.acquire() if "runs" in marks else nullcontext(),
    ):
        yield


def whole_database(folder: Path | None) -> AbstractContextManager[object]:
    """Keep the tests of other processes away from the database."""
    return _database_lock(folder).write_lock() if folder else nullcontext()


def let_runs_wait(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let a run of this process wait until the run of another process has ended."""
    enter, leave, runs = Lease.__aenter__, Lease.__aexit__, _run_lock(folder)

    async def enter_in_turn(lease: Lease) -> Lease:
        await asyncio.to_thread(runs.acquire)
        try:
            return await enter(lease)
        except BaseException:
            runs.release()
            raise

    async def leave_in_turn(lease: Lease, *error: object) -> None:
        try:
            await leave(lease, *error)
        finally:
            runs.release()

    patch.setattr(Lease, "__aenter__", enter_in_turn)
    patch.setattr(Lease, "__aexit__", leave_in_turn)


def _of_database(
    folder: Path, marks: Set[str], fixtures: Set[str]
) -> AbstractContextManager[object]:
    """Return the lock of the database that a test takes; its module may have taken it."""
    if "whole_database" in fixtures:
        return nullcontext()
    alone = "alone" in marks or not _ALONE.isdisjoint(fixtures)
    return whole_database(folder) if alone else _database_lock(folder).read_lock()


def _database_lock(folder: Path) -> ReadWriteLock:
    return ReadWriteLock(folder / "database.lock", timeout=_WAIT_SECONDS)


def _run_lock(folder: Path) -> FileLock:
    return FileLock(
        folder / "runs.lock", timeout=_WAIT_SECONDS, thread_local=False, is_singleton=True
    )
