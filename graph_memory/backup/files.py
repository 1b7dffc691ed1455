"""The files of a backup, in clear or encrypted: the one place that reads and writes all of them.

A backup in clear has format 3. An encrypted one has format 4, and `.enc` behind the names of its
files. Its manifest shows the counts and the id of the key, so that backups can be listed without
it. The whole manifest with the checksum, by which contents could be guessed, is in `sealed`,
encrypted.

The graph is in parts; see `parts`. Formats 1 and 2, of earlier versions, have it in one file.
"""

import base64
import json
import os
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from graph_memory.backup import encryption, parts, storage
from graph_memory.backup.encryption import Key, key_of
from graph_memory.backup.parts import PartsWriter
from graph_memory.errors import BackupError
from graph_memory.settings.base import Settings

#: Formats: in clear, and encrypted; earlier ones with the graph as one file.
WHOLE, WHOLE_ENCRYPTED, CLEAR, ENCRYPTED = 1, 2, 3, 4

GRAPH = "graph.jsonl.gz"  #: the graph in the earlier formats
MEMORIES = "memories.json"
MANIFEST = "manifest.json"

_SETTING, _EARLIER = "GRAPH_MEMORY_BACKUP_KEY", "GRAPH_MEMORY_BACKUP_EARLIER_KEYS"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The counts and the checksum of a backup, which a restore checks."""

    format: int
    created_at: str
    memories: int
    nodes: int
    edges: int
    checksum: str

    def shown(self) -> dict[str, Any]:
        """Return what the manifest of an encrypted backup shows."""
        return {key: value for key, value in asdict(self).items() if key != "checksum"}


_FIELDS = {each.name for each in fields(Manifest)}

#: The fields of a manifest that are not encrypted, by its format.
_SHOWN = dict.fromkeys((WHOLE, CLEAR), _FIELDS) | dict.fromkeys(
    (WHOLE_ENCRYPTED, ENCRYPTED), _FIELDS - {"checksum"} | {"key_id", "sealed"}
)


@dataclass(frozen=True, slots=True)
class Keyring:
    """The texts of the keys in the settings; the present one encrypts, and all decrypt."""

    texts: tuple[str, ...] = field(default=(), repr=False)
    encrypts: bool = False  #: whether the first of them is the present one

    @classmethod
    def of(cls, settings: Settings) -> "Keyring":
        """Return the keys of the settings."""
        present = settings.backup_key.get_secret_value()
        earlier = (each.get_secret_value() for each in settings.backup_earlier_keys)
        return cls(tuple(filter(None, (present, *earlier))), bool(present))

    def present(self) -> Key | None:
        """Return the key of new backups; None if they are in clear."""
        return key_of(self.texts[0]) if self.encrypts else None

    def find(self, key_id: object) -> Key | None:
        """Return the key with an id; None if it is not set."""
        keys = (key_of(text) for text in self.texts)
        return next((key for key in keys if key.id == key_id), None)


class BackupReader:
    """The files of a complete backup; errors of a missing key arise with the first use of it."""

    def __init__(self, path: Path, keys: Keyring | None = None) -> None:
        self.path = path
        self.keys = keys or Keyring()

    def shown(self) -> Mapping[str, Any]:
        """Return what the manifest shows without a key.

        Raises:
            BackupError: The folder is not a backup, or its format is not supported.
        """
        try:
            values = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
            self._check_format(values["format"])
            return {name: values[name] for name in _SHOWN[values["format"]]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BackupError(
                f"{self.path} is not a backup: {MANIFEST} cannot be read ({error}). Name a folder "
                "backup_... that `graph-memory backup` made."
            ) from error

    def key(self) -> Key | None:
        """Return the key of this backup; None if it is in clear.

        Raises:
            BackupError: The key is not set; also the errors of `shown`.
        """
        shown = self.shown()
        if "key_id" not in shown:
            return None
        key_id = str(shown["key_id"])
        found = self.keys.find(key_id)
        if found is None:
            raise BackupError(f"{self.path} is encrypted with the key {key_id}, {self._remedy()}")
        return found

    def manifest(self) -> Manifest:
        """Return the whole manifest.

        Raises:
            BackupError: The manifest was changed; also the errors of `key`.
        """
        shown, key = self.shown(), self.key()
        if key is None:
            return Manifest(**shown)
        with self.damage(MANIFEST):
            sealed = base64.b64decode(str(shown["sealed"]), validate=True)
            manifest = Manifest(**json.loads(encryption.unseal(sealed, key, MANIFEST)))
            for name, value in manifest.shown().items():
                if shown[name] != value:
                    raise ValueError(f"{name} is {shown[name]} instead of {value}")
        return manifest

    @contextmanager
    def reading(self, name: str) -> Generator[BinaryIO]:
        """Yield a stream of a file in clear.

        Raises:
            BackupError: The key is not set, or the manifest cannot be read.
            ValueError: The file was changed; the stream raises it, too.
        """
        with storage.reading(self.path, self.key(), name) as file:
            yield file

    @contextmanager
    def reading_text(self, name: str) -> Generator[TextIO]:
        """Yield the text of a file, decompressed; errors are those of `reading`."""
        with self.reading(name) as file, storage.as_text(file, name, "r") as text:
            yield text

    def pieces(self, name: str) -> Generator[bytes]:
        """Yield a file in pieces, as it is in clear.

        Raises:
            BackupError: The backup is damaged, or its key is not set.
        """
        with self.damage(name), self.reading(name) as file:
            while piece := file.read(encryption.CHUNK):
                yield piece

    def lines(self) -> Generator[str]:
        """Yield the lines of the graph, as they are.

        Raises:
            BackupError: The backup is damaged, or its key is not set.
        """
        if self.shown()["format"] in (WHOLE, WHOLE_ENCRYPTED):
            yield from self._whole()
            return
        with self.damage(parts.PARTS):
            with self.reading(parts.PARTS) as file:
                index = parts.read_index(file.read())
            yield from parts.join(self._stream(index.records), self._stream(index.values))

    def _whole(self) -> Generator[str]:
        """Yield the lines of a graph in one file."""
        with self.damage(GRAPH), self.reading(GRAPH) as file:
            for line in storage.lines_of(storage.decompressed(file)):
                yield line.decode()

    def _stream(self, digests: Sequence[str]) -> Iterator[bytes]:
        """Yield the lines of parts."""
        key = self.key()
        for each in digests:
            with self.damage(parts.file_of(each)):
                yield from parts.read_part(self.path, key, each)

    def records(self) -> Generator[dict[str, Any]]:
        """Yield the nodes and relationships, as `dump` describes them.

        Raises:
            BackupError: The backup is damaged, or its key is not set.
        """
        with self.damage():
            for line in self.lines():
                yield json.loads(line)

    @contextmanager
    def damage(self, name: str | None = None) -> Generator[None]:
        """Raise an error in the block as damage of a file; without a name, of the graph.

        Raises:
            BackupError: The block raised an error of reading or of a value.
        """
        try:
            yield
        except storage.DAMAGE as error:
            raise BackupError(
                f"{self._stored(name)} is damaged ({error}). Nothing was changed; use another "
                "backup."
            ) from error

    def _stored(self, name: str | None) -> Path:
        """Return the path of a file, with the name that it has in this folder."""
        wanted = (name,) if name else (parts.FOLDER, GRAPH)
        names = [
            stored for each in wanted for stored in (each, storage.ENCRYPTED_NAME.format(each))
        ]
        found = (self.path / each for each in names if (self.path / each).exists())
        return next(found, self.path / names[0])

    def size(self) -> int:
        """Return the size of all files, in bytes."""
        return sum(each.size for each in files_in(self.path))

    def new_bytes(self, earlier: Path | None) -> int:
        """Return the size of the files that an earlier backup does not share, in bytes."""
        shared = {each.identity for each in files_in(earlier)} if earlier else set[object]()
        return sum(each.size for each in files_in(self.path) if each.identity not in shared)

    def _check_format(self, number: object) -> None:
        if number not in _SHOWN:
            raise BackupError(
                f"{self.path} has format {number}, but this version of graph-memory reads formats "
                f"{WHOLE} to {ENCRYPTED}. Install the version that made the backup."
            )

    def _remedy(self) -> str:
        """Return what is set in the place of a missing key, and what to set."""
        if not self.keys.texts:
            return f"and no key is set. Set {_SETTING} to this key, or add it to {_EARLIER}."
        known = ", ".join(key_of(text).id for text in self.keys.texts)
        return f"but the settings have {known} only. Add this key to {_EARLIER}."


class BackupWriter:
    """The files of a new backup, encrypted if there is a key."""

    def __init__(self, path: Path, key: Key | None, sources: Sequence[Path] = ()) -> None:
        """Begin a backup.

        Args:
            path: Its folder.
            key: Its key; None for one in clear.
            sources: Folders of other backups, whose parts are linked; the likeliest first.
        """
        self.path = path
        self.format = ENCRYPTED if key else CLEAR
        self._key = key
        self._sources = sources

    @contextmanager
    def writing(self, name: str) -> Generator[BinaryIO]:
        """Yield a stream to a new file; what is written to it is in clear."""
        with storage.writing(self.path, self._key, name) as file:
            yield file

    @contextmanager
    def writing_text(self, name: str) -> Generator[TextIO]:
        """Yield a text file to write, which is compressed by its name."""
        with self.writing(name) as file, storage.as_text(file, name, "w") as text:
            yield text

    @contextmanager
    def writing_graph(self) -> Generator[PartsWriter]:
        """Yield a writer of the graph, which takes the place of one that was begun before."""
        shutil.rmtree(self.path / parts.FOLDER, ignore_errors=True)
        writer = PartsWriter(self.path, self._key, self._sources)
        yield writer
        writer.finish()

    @contextmanager
    def reading(self, name: str) -> Generator[BinaryIO]:
        """Yield a stream of a file that was written."""
        with storage.reading(self.path, self._key, name) as file:
            yield file

    def remove(self, name: str) -> None:
        """Remove a file that was written."""
        (self.path / storage.stored_name(name, self._key)).unlink()

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest, the last file."""
        values = asdict(manifest)
        if self._key is not None:
            sealed = encryption.seal(json.dumps(values).encode(), self._key, MANIFEST)
            values = manifest.shown() | {
                "cipher": encryption.CIPHER,
                "key_id": self._key.id,
                "sealed": base64.b64encode(sealed).decode(),
            }
        text = json.dumps(values, indent=2) + "\n"
        (self.path / MANIFEST).write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a backup: its size in bytes, and what it shares with a link to it."""

    size: int
    identity: tuple[int, int]


def files_in(folder: Path) -> Generator[StoredFile]:
    """Yield all files of a backup, except those that another process deletes in the call."""
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                found = os.stat(os.path.join(path, name))
                yield StoredFile(found.st_size, (found.st_dev, found.st_ino))


def complete_backups(folder: Path) -> list[Path]:
    """Return the folders of the complete backups in a folder, the oldest first."""
    if not folder.is_dir():
        return []
    return sorted(each for each in folder.glob("backup_*") if (each / MANIFEST).is_file())
