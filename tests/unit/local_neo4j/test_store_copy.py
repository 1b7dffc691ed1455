"""The files of a snapshot: which are copied, how far a log is, and what makes a copy unsound."""

from pathlib import Path

import pytest

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j.store_copy import copy_database

_LOG = "neostore.transaction.db."
_STORES = Path("data/databases/neo4j")
_LOGS = Path("data/transactions/neo4j")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a few files of a database, each with its own name as content."""
    root = tmp_path / "home"
    for folder, names in {
        _STORES: (
            "neostore",
            "neostore.nodestore.db",
            "neostore.nodestore.db.id",
            "neostore.counts.db",
            "neostore.indexstats.db",
            "neostore.relationshipgroupstore.degrees.db",
            "database_lock",
        ),
        _STORES / "schema": ("index",),
        _LOGS: (f"{_LOG}9", f"{_LOG}10", "checkpoint.0"),
    }.items():
        (root / folder).mkdir(parents=True)
        for name in names:
            (root / folder / name).write_bytes(name.encode())
    return root


def test_stores_and_logs_are_copied_without_what_neo4j_builds_again(home: Path, tmp_path: Path):
    target = tmp_path / "copy" / "home"
    target.mkdir(parents=True)
    copy_database(home, target)
    found = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert found == {
        *(str(_STORES / name) for name in ("neostore", "neostore.nodestore.db")),
        *(str(_LOGS / name) for name in (f"{_LOG}9", f"{_LOG}10", "checkpoint.0")),
    }
    assert all((target / name).read_bytes() == (home / name).read_bytes() for name in found)
    assert all((target / name).stat().st_nlink == 1 for name in found)  # shared with no live file


def test_a_log_keeps_its_reserved_size_and_occupies_what_is_written(home: Path, tmp_path: Path):
    log, size = home / _LOGS / f"{_LOG}10", 64 * 2**20
    written = b"begin" + bytes(3 * 2**20) + b"end"
    log.write_bytes(written + bytes(size - len(written)))
    target = tmp_path / "home of the copy"
    target.mkdir()
    copy_database(home, target)
    copy = target / _LOGS / log.name
    assert copy.read_bytes() == log.read_bytes()
    assert copy.stat().st_blocks * 512 < size / 2


def test_a_log_that_was_deleted_between_two_others_is_noticed(home: Path, tmp_path: Path):
    (home / _LOGS / f"{_LOG}7").write_bytes(b"older than the deleted one")
    (tmp_path / "copy").mkdir()
    with pytest.raises(LocalNeo4jError, match=rf"before {_LOG}9"):
        copy_database(home, tmp_path / "copy")


def test_a_copy_that_does_not_fit_on_the_disk_is_not_begun(home: Path, tmp_path: Path):
    with (home / _STORES / "neostore.nodestore.db").open("ab") as store:
        store.truncate(2**43)  # a hole of 8 TiB
    (tmp_path / "copy").mkdir()
    with pytest.raises(LocalNeo4jError, match="Free disk space"):
        copy_database(home, tmp_path / "copy")
    assert not list((tmp_path / "copy" / _STORES).iterdir())
