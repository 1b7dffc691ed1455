"""The startup cache of the JVM: created once, in the background, and used by each start."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from graph_memory import local_neo4j
from graph_memory.local_neo4j.configuration import cache_file
from graph_memory.local_neo4j.jars import distrust_jars, ensure_jars, jars_folder
from graph_memory.local_neo4j.java import OLDEST_JAVA, Java, find_java
from graph_memory.local_neo4j.startup_cache import create_startup_cache
from graph_memory.settings.base import Settings, read_settings

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="Windows has no startup cache"),
    pytest.mark.timeout(900),  # the keeper works at the lowest priority
]

_CREATE = """
from graph_memory import local_neo4j, read_settings
local_neo4j.create_startup_cache(read_settings())
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Return settings with a cache folder of their own, which has the jars but no startup cache."""
    root = tmp_path_factory.mktemp("startup")
    jars = ensure_jars(read_settings())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPH_MEMORY_CACHE_DIR", str(root / "cache"))
        patch.setenv("GRAPH_MEMORY_LOCAL_STARTUP_CACHE", "true")
        settings = read_settings(
            data_dir=root / "data",
            local_fast_start=True,
            local_heap_mebibytes=256,
            local_page_cache_mebibytes=32,
            local_linger_seconds=0.5,
        )
        ignored = shutil.ignore_patterns("*.aot")
        shutil.copytree(jars, jars_folder(settings), ignore=ignored)
        yield settings
        local_neo4j.stop(settings)


@pytest.fixture
def file(settings: Settings) -> Path:
    """Return the file of the cache, existing or not."""
    found = cache_file(find_java(settings), jars_folder(settings))
    if found is None:
        pytest.fail("The tests need Java 25.")
    return found


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _jvms(folder: Path) -> list[psutil.Process]:
    """Return the JVMs with a home below `folder`."""
    return [
        each
        for each in psutil.process_iter(["cmdline"])
        if any(part.startswith(f"--home-dir={folder}") for part in each.info["cmdline"] or ())
    ]


def _uses(pid: int, file: Path) -> bool:
    return any(mapped.path == str(file) for mapped in psutil.Process(pid).memory_maps())


def test_a_killed_creation_is_cleaned_up_and_the_keeper_creates_the_cache(
    settings: Settings, file: Path
):
    started = subprocess.Popen([sys.executable, "-c", _CREATE])
    _until(lambda: bool(_jvms(settings.cache_dir)))
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert not file.exists()

    instance = local_neo4j.acquire(settings)
    assert not _uses(instance.pid, file)
    local_neo4j.release(settings)
    _until(file.exists)
    _until(lambda: not list(settings.cache_dir.glob(".startup-*")))
    assert not _jvms(settings.cache_dir)
    assert local_neo4j.running(settings) is None


def test_an_existing_cache_is_used_and_not_created_again(settings: Settings, file: Path):
    made = file.stat()
    assert create_startup_cache(settings) == file
    assert file.stat() == made
    instance = local_neo4j.acquire(settings)
    try:
        assert _uses(instance.pid, file)
    finally:
        local_neo4j.stop(settings)


def test_a_damaged_cache_is_ignored_and_a_failed_start_removes_it(settings: Settings, file: Path):
    os.truncate(file, file.stat().st_size // 2)
    instance = local_neo4j.acquire(settings)
    try:
        assert not _uses(instance.pid, file)
    finally:
        local_neo4j.stop(settings)
    distrust_jars(settings)
    assert not file.exists()


def test_an_older_java_has_no_cache_and_each_build_has_its_own(tmp_path: Path):
    builds: list[Java] = []
    for name, version in (("a", "25.0.1"), ("b", "25.0.2"), ("c", "24.0.2")):
        executable = tmp_path / name / "bin" / "java"
        executable.parent.mkdir(parents=True)
        executable.touch()
        (tmp_path / name / "release").write_text(f'JAVA_VERSION="{version}"')
        builds.append(Java(executable, version, name))
    files = [cache_file(java, tmp_path) for java in builds]
    assert files[2] is None
    assert None not in files[:2]
    assert files[0] != files[1]
    assert OLDEST_JAVA < 25
