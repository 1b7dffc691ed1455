"""The graph of a backup as parts: files of lines, which a later backup links instead of writing.

The name of a part is the digest of its text. A part that another backup has under the same name is
linked: the file system then has one file in two folders, and each backup stays complete. Without
links it is written. Before a link, the other file is read and compared, so that damage of it does
not spread.

A part ends behind a node or relationship by a hash of its ids, and not by its position. So an
insertion changes one part, and leaves all others as they are.

There are two streams of parts. Vectors and compressed texts are most of the bytes and change
seldom, so they are in the stream of `values`. The stream of `records` has the rest, with counts of
accesses. A record that continues there ends in a mark, and the next line of `values` belongs to it.
"""

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph_memory.backup import dump
from graph_memory.backup.encryption import Key
from graph_memory.backup.storage import (
    DAMAGE,
    LONGEST_LINE,
    decompressed,
    reading,
    stored_name,
    writing,
)

FOLDER = "graph"
PARTS = "parts.json"

#: Sections of a record that are in the stream of values.
_APART = ("floats", "bytes")
#: End of a record that continues in the stream of values; no other record ends so.
_MARK = b'"floats":null}\n'

#: Nodes and relationships of a part on average. Relationships are shorter, and change less often.
_NODES, _EDGES = 128, 1024
#: Size from which a part ends in any case, because it is held in memory.
_MOST_BYTES = 4 * 2**20


class Index(BaseModel):
    """The digests of the parts of each stream, in order."""

    model_config = ConfigDict(strict=True, extra="forbid")

    records: list[Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]
    values: list[Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


def file_of(digest: str) -> str:
    """Return the name of the file of a part."""
    return f"{FOLDER}/{digest}.gz"


class PartsWriter:
    """The writer of the graph of a backup; it holds two parts at most."""

    def __init__(self, folder: Path, key: Key | None, sources: Sequence[Path] = ()) -> None:
        """Begin to write.

        Args:
            folder: Folder of the backup.
            key: Key of the backup; None if it is in clear.
            sources: Folders of other backups, whose parts are linked; the likeliest first.
        """
        self._folder = folder
        self._key = key
        self._sources = sources
        self._records = _Stream(self._put)
        self._values = _Stream(self._put)
        (folder / FOLDER).mkdir(mode=0o700)

    def add(self, record: Mapping[str, Any]) -> None:
        """Write a node or relationship, as `dump` describes it."""
        ends = _ends_part(record)
        values = {name: record[name] for name in _APART if name in record}
        if values:
            record = {name: record[name] for name in record if name not in _APART}
            self._values.add(_line(values), ends=ends)
            record["floats"] = None
        self._records.add(_line(record), ends=ends)

    def finish(self) -> None:
        """Write the last parts, and the list of all."""
        index = Index(records=self._records.finish(), values=self._values.finish())
        with writing(self._folder, self._key, PARTS) as file:
            file.write(index.model_dump_json(indent=0).encode())

    def _put(self, text: bytes) -> str:
        """Link or write a part, and return its digest."""
        digest = _new_digest(self._key)
        digest.update(text)
        name = file_of(digest.hexdigest())
        target = self._folder / stored_name(name, self._key)
        if not target.exists() and not self._link(name, text, target):
            with writing(self._folder, self._key, name) as file:
                file.write(gzip.compress(text, 1, mtime=0))
        return digest.hexdigest()

    def _link(self, name: str, text: bytes, target: Path) -> bool:
        """Link a part of another backup; return False if none has it, or files cannot be linked."""
        for source in self._sources:
            if _holds(source, self._key, name, text):
                try:
                    os.link(source / stored_name(name, self._key), target)
                except OSError:
                    return False
                return True
        return False


class _Stream:
    """The parts of a stream, and the lines of the next one."""

    def __init__(self, put: Callable[[bytes], str]) -> None:
        self._put = put
        self._digests: list[str] = []
        self._lines: list[bytes] = []
        self._bytes = 0

    def add(self, line: bytes, *, ends: bool) -> None:
        """Add a line; `ends` is True if a part ends behind it."""
        self._lines.append(line)
        self._bytes += len(line)
        if ends or self._bytes >= _MOST_BYTES:
            self._cut()

    def finish(self) -> list[str]:
        """Put the last part, and return the digests of all."""
        self._cut()
        return self._digests

    def _cut(self) -> None:
        if self._lines:
            self._digests.append(self._put(b"".join(self._lines)))
            self._lines, self._bytes = [], 0


def _new_digest(key: Key | None) -> _Digest:
    """Return the digest of a part; with a key it does not let texts be guessed."""
    return key.part_digest() if key else hashlib.sha256()


def _line(values: Mapping[str, Any]) -> bytes:
    return dump.to_line(values).encode() + b"\n"


def _ends_part(record: Mapping[str, Any]) -> bool:
    """Return whether a part ends behind a record, by its ids."""
    ids = "|".join(str(record.get(name)) for name in ("id", "from", "to"))
    return zlib.crc32(ids.encode()) % (_NODES if "labels" in record else _EDGES) == 0


def _holds(folder: Path, key: Key | None, name: str, text: bytes) -> bool:
    """Return whether a folder has a part with this text, undamaged."""
    if not (folder / stored_name(name, key)).is_file():
        return False
    try:
        with reading(folder, key, name) as file:
            return decompressed(file).read(len(text) + 1) == text
    except DAMAGE:
        return False


def read_index(text: bytes) -> Index:
    """Return the list of the parts.

    Raises:
        ValueError: The text is not one.
    """
    try:
        return Index.model_validate_json(text)
    except ValidationError as error:
        raise ValueError("it is not a list of parts") from error


def read_part(folder: Path, key: Key | None, digest: str) -> Iterator[bytes]:
    """Check the text of a part, and return its lines.

    Raises:
        OSError: The file cannot be read.
        ValueError: The text is not that of the digest.
    """
    with reading(folder, key, file_of(digest)) as file:
        text = decompressed(file).read(LONGEST_LINE)
    found = _new_digest(key)
    found.update(text)
    if found.hexdigest() != digest:
        raise ValueError("its text is not that of its name")
    return io.BytesIO(text)


def join(records: Iterable[bytes], values: Iterator[bytes]) -> Generator[str]:
    """Yield the lines of records, each with its line of values.

    Raises:
        ValueError: There are more lines of one stream than belong to the other.
    """
    for line in records:
        if line.endswith(_MARK):
            rest = next(values, None)
            if rest is None:
                raise ValueError("values of a record are missing")
            yield (line.removesuffix(_MARK) + rest.removeprefix(b"{")).decode()
        else:
            yield line.decode()
    if next(values, None) is not None:
        raise ValueError("there are values without a record")
