"""The keeper of the local Neo4j leaves a folder alone that is being deleted."""

import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from graph_memory.local_neo4j import keeper, lingering, users
from graph_memory.local_neo4j.folder import Folder
from graph_memory.local_neo4j.keeper import _ended, _Watch


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The folder of an instance that was stopped."""
    made = Folder(tmp_path / "neo4j")
    made.create()
    lingering.record_use(made, 60.0)
    with FileLock(made.lock_file):
        pass
    return made


def files(folder: Folder) -> set[Path]:
    return set(folder.root.parent.rglob("*"))


@pytest.mark.parametrize("gone", ["", "start.lock", "linger"])
def test_it_creates_nothing_where_someone_deletes_the_data(folder: Folder, gone: str) -> None:
    watch = _Watch(folder)
    users.register(folder)
    assert watch.is_used()
    users.unregister(folder)
    if gone:
        (folder.root / gone).unlink()
    else:
        shutil.rmtree(folder.root)
    left = files(folder)
    assert watch.is_over()
    assert _ended(folder, watch)
    assert files(folder) == left


def test_it_ends_by_itself_when_the_folder_is_gone(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(folder.root)
    monkeypatch.setattr("sys.argv", ["keeper", str(folder.root)])
    keeper.main()
    assert not folder.root.exists()


@pytest.mark.skipif(os.name != "posix", reason="flock")
def test_it_waits_while_a_process_holds_the_lock(folder: Folder) -> None:
    watch = _Watch(folder)
    with FileLock(folder.lock_file):
        assert not _ended(folder, watch)
    assert _ended(folder, watch)
