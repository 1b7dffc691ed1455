"""The local Neo4j stays for its linger time, and its keeper stops it, whatever its users do."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from graph_memory import local_neo4j
from graph_memory.local_neo4j import process
from graph_memory.local_neo4j.folder import Folder
from graph_memory.settings.base import Settings, read_settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills by signals")

_LONG, _SHORT = 600.0, 0.5

# Prints the pid of the instance, and waits to be killed.
_USER = """
import sys, time
from pathlib import Path
from graph_memory import local_neo4j, read_settings

settings = read_settings(data_dir=Path(sys.argv[1]), local_linger_seconds=float(sys.argv[2]))
print(local_neo4j.acquire(settings).pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Return settings of a data root of its own; what runs there ends with the module."""
    settings = read_settings(
        data_dir=tmp_path_factory.mktemp("lingering"),
        local_fast_start=True,
        local_heap_mebibytes=256,
        local_page_cache_mebibytes=32,
        local_linger_seconds=_LONG,
    )
    yield settings
    local_neo4j.stop(settings)


def _changed(settings: Settings, **changes: object) -> Settings:
    return settings.model_copy(update=changes)


def _keeper(settings: Settings) -> psutil.Process:
    return psutil.Process(int(Folder.of(settings).keeper_file.read_text().split()[0]))


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _until_stopped(settings: Settings) -> None:
    folder = Folder.of(settings)
    _until(lambda: local_neo4j.running(settings) is None and not folder.keeper_file.exists())


def test_an_unused_instance_stays_for_the_linger_time_of_its_latest_user(settings: Settings):
    instance = local_neo4j.acquire(settings)
    assert local_neo4j.status(settings).stops_in_seconds is None
    keeper = _keeper(settings)
    assert keeper.memory_info().rss < 40 * 2**20
    local_neo4j.release(settings)
    left = local_neo4j.status(settings).stops_in_seconds
    assert left is not None
    assert _LONG - 60 < left <= _LONG

    assert local_neo4j.acquire(settings) == instance
    assert _keeper(settings) == keeper
    local_neo4j.release(_changed(settings, local_linger_seconds=_SHORT))
    _until_stopped(settings)
    assert "Stopped." in local_neo4j.log_tail(settings)
    assert local_neo4j.status(settings).stops_in_seconds is None


def test_the_keeper_stops_an_instance_whose_users_were_killed(settings: Settings):
    command = [sys.executable, "-c", _USER, str(settings.data_dir), str(_SHORT)]
    user = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert user.stdout
    assert user.stdout.readline()
    assert local_neo4j.status(settings).users == [user.pid]
    user.kill()
    user.communicate()
    _until_stopped(settings)


def test_an_instance_of_a_killed_starter_or_a_killed_keeper_is_stopped(settings: Settings):
    record = Folder.of(settings).instance_file
    record.unlink()
    command = [sys.executable, "-c", _USER, str(settings.data_dir), str(_SHORT)]
    starter = subprocess.Popen(command, stdout=subprocess.PIPE)
    _until(record.exists)
    starter.kill()
    starter.communicate()
    _until_stopped(settings)

    local_neo4j.acquire(settings)
    keeper = _keeper(settings)
    keeper.kill()
    keeper.wait()
    local_neo4j.release(_changed(settings, local_linger_seconds=_SHORT))
    assert _keeper(settings) != keeper
    _until_stopped(settings)


def test_a_lingering_instance_is_stopped_at_once_and_follows_changed_settings(settings: Settings):
    instance = local_neo4j.acquire(settings)
    larger = _changed(settings, local_heap_mebibytes=300)
    assert local_neo4j.acquire(larger) == instance  # another user must not lose it
    local_neo4j.release(larger)
    local_neo4j.release(settings)
    restarted = local_neo4j.acquire(larger)
    assert restarted.pid != instance.pid
    assert "-Xmx300m" in psutil.Process(restarted.pid).cmdline()
    local_neo4j.release(larger)
    assert local_neo4j.stop(settings) is True
    _until_stopped(settings)


def test_a_kept_instance_outlives_its_linger_time_and_ends_with_its_folder(settings: Settings):
    short = _changed(settings, local_linger_seconds=_SHORT)
    instance = local_neo4j.start(short, keep=True)
    keeper = _keeper(settings)
    local_neo4j.acquire(short)
    local_neo4j.release(short)
    assert local_neo4j.status(short).stops_in_seconds is None
    os.kill(keeper.pid, signal.SIGSTOP)
    try:
        shutil.rmtree(settings.data_dir, ignore_errors=True)
        assert process.is_alive(instance.pid)
    finally:
        os.kill(keeper.pid, signal.SIGCONT)
    _until(lambda: not process.is_alive(instance.pid))
