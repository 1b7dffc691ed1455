"""Hard links to the vector and full-text indexes of a Neo4j that goes on writing.

Lucene writes a file once and never changes it. A commit is a file `segments_N` that names all files
it consists of; Lucene deletes an older commit before any file that only this one names. So the
links are a whole commit if its `segments_N` is still there after all other files were linked.

A Neo4j on the copy takes such an index as it is. Without the links it would build the index again;
for 1,000,000 vectors that took more than nine minutes.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from graph_memory.local_neo4j import cancellation

_INDEXES = ("vector-*", "fulltext-*")
_COMMIT = "segments_*"
_LOCK = "write.lock"  #: of the Lucene that writes; the copy gets its own

#: A commit is deleted after the next checkpoint, minutes later; links take a moment.
_TRIES = 5


def link_indexes(source: Path, target: Path) -> None:
    """Link each Lucene index below the folder of a database to the same place below `target`.

    An index whose commits change too fast, or that has none, is left out: Neo4j builds it again.

    Raises:
        StartCancelledError: The work was cancelled.
        OSError: A file cannot be linked.
    """
    for folder in _partitions(source / "schema" / "index"):
        cancellation.check()
        copy = target / folder.relative_to(source)
        copy.mkdir(parents=True)
        if not any(_link_commit(folder, copy) for _ in range(_TRIES)):
            _clear(copy)


def _partitions(indexes: Path) -> Iterator[Path]:
    """Yield the folders of files: one index has a folder for each of its partitions."""
    for pattern in _INDEXES:
        for partition in indexes.glob(f"{pattern}/*/*"):
            if partition.is_dir():
                yield partition


def _link_commit(folder: Path, copy: Path) -> bool:
    """Link the files of a folder; return True if they hold a whole commit."""
    _clear(copy)
    commits = sorted(folder.glob(_COMMIT), key=_generation)
    for file in folder.iterdir():
        if file.name != _LOCK and not file.match(_COMMIT):
            _link(file, copy)
    return bool(commits) and _link(commits[-1], copy)


def _generation(commit: Path) -> int:
    return int(commit.name.partition("_")[2], base=36)


def _link(file: Path, folder: Path) -> bool:
    """Link a file; return False if it was deleted since it was listed."""
    with suppress(FileNotFoundError):
        (folder / file.name).hardlink_to(file)
        return True
    return False


def _clear(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
