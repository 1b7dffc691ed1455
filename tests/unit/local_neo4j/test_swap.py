"""A replacement of the data that was killed is finished, or undone."""

from pathlib import Path

import pytest

from graph_memory.local_neo4j import swap
from graph_memory.local_neo4j.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a folder with data, and with the copy of a rewrite."""
    folder = Folder(tmp_path / "neo4j")
    for each, text in ((folder, "old"), (Folder(folder.rewrite), "new")):
        each.create()
        each.data.mkdir(parents=True)
        (each.data / "store").write_text(text)
    return folder


def held(folder: Folder) -> str:
    assert not folder.old_data.exists()
    assert not folder.rewrite.exists()
    return (folder.data / "store").read_text()


def test_the_new_data_replaces_the_old(folder: Folder) -> None:
    swap.replace(folder, Folder(folder.rewrite))
    swap.settle(folder)
    assert held(folder) == "new"


def test_an_unfinished_copy_is_removed(folder: Folder) -> None:
    swap.settle(folder)
    assert held(folder) == "old"


def test_the_old_data_comes_back_if_there_is_none(folder: Folder) -> None:
    folder.data.rename(folder.old_data)
    folder.create()  # by a process that waits for the lock
    swap.settle(folder)
    assert held(folder) == "old"


def test_old_data_that_was_replaced_is_deleted(folder: Folder) -> None:
    folder.data.rename(folder.old_data)
    Folder(folder.rewrite).data.rename(folder.data)
    swap.settle(folder)
    assert held(folder) == "new"


def test_without_a_rewrite_nothing_changes(folder: Folder) -> None:
    swap.settle(folder)
    before = sorted(folder.root.rglob("*"))
    swap.settle(folder)
    assert sorted(folder.root.rglob("*")) == before
