"""Links to Lucene's indexes: whole commits, also beside a writer that goes on committing."""

from pathlib import Path
from threading import Event, Thread

import pytest

from graph_memory.local_neo4j.lucene_copy import link_indexes

_PARTITION = Path("schema/index/vector-2026.08/7/1")


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    folder = tmp_path / "live" / _PARTITION
    folder.mkdir(parents=True)
    return folder


def commit(folder: Path, number: int) -> None:
    """Commit in the order of Lucene: write files and a commit, then delete the old ones."""
    names = [f"_{number}_{part}.cfs" for part in range(20)]
    for name in names:
        (folder / name).write_text(name)
    pending = folder / f"pending_segments_{number}"
    pending.write_text("\n".join(names))
    pending.rename(folder / f"segments_{number}")
    for old in folder.glob("segments_*"):
        if old.name != f"segments_{number}":
            old.unlink()
    for old in folder.glob("_*"):
        if old.name not in names:
            old.unlink()


def committed(folder: Path) -> list[str]:
    """Return the contents that the newest commit of a copy consists of; fail if one is missing."""
    (newest,) = folder.glob("segments_*")
    return [(folder / name).read_text() for name in newest.read_text().split()]


def test_an_index_is_linked_without_its_lock(partition: Path, tmp_path: Path):
    commit(partition, 1)
    (partition / "write.lock").touch()
    (partition.parent / "failure-message").touch()
    (tmp_path / "live/schema/index/range-1.0/3").mkdir(parents=True)
    link_indexes(tmp_path / "live", tmp_path / "copy")
    copy = tmp_path / "copy" / _PARTITION
    assert {file.name for file in copy.iterdir()} == {
        *(f"_1_{part}.cfs" for part in range(20)),
        "segments_1",
    }
    assert all(file.samefile(partition / file.name) for file in copy.iterdir())
    assert not (tmp_path / "copy/schema/index/range-1.0").exists()
    assert not (copy.parent / "failure-message").exists()


def test_of_two_commits_the_newer_is_linked(partition: Path, tmp_path: Path):
    for name in ("segments_z", "segments_10", "_1.cfs"):  # the numbers have the base 36
        (partition / name).write_text("_1.cfs")
    link_indexes(tmp_path / "live", tmp_path / "copy")
    copy = tmp_path / "copy" / _PARTITION
    assert {file.name for file in copy.iterdir()} == {"segments_10", "_1.cfs"}


def test_an_index_without_a_commit_is_left_out(partition: Path, tmp_path: Path):
    (partition / "_1.cfs").touch()
    link_indexes(tmp_path / "live", tmp_path / "copy")
    assert not list((tmp_path / "copy" / _PARTITION).iterdir())


def test_links_beside_a_writer_hold_a_whole_commit_or_nothing(partition: Path, tmp_path: Path):
    commit(partition, 10)
    over = Event()

    def write() -> None:
        number = 10
        while not over.wait(0.005):
            number += 1
            commit(partition, number)

    writer = Thread(target=write)
    writer.start()
    try:
        whole = 0
        for turn in range(60):
            link_indexes(tmp_path / "live", tmp_path / f"copy{turn}")
            copy = tmp_path / f"copy{turn}" / _PARTITION
            if list(copy.iterdir()):
                assert len(committed(copy)) == 20
                whole += 1
        assert whole > 0
    finally:
        over.set()
        writer.join()
