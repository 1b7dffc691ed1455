"""The files of a backup, in clear or encrypted: the one place that opens them.

A backup in clear has format 1. An encrypted one has format 2, and `.enc` behind the names of its
files. Its manifest shows the counts and the id of the key, so that backups can be listed without
it. The whole manifest with the checksum, by which contents could be guessed, is in `sealed`,
encrypted.
"""

import base64
import gzip
import io
import json
import zlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from graph_memory.backup import encryption
from graph_memory.backup.encryption import Key, key_of
from graph_memory.errors import BackupError
from graph_memory.settings.base import Settings

#: Formats: in clear, and encrypted.
CLEAR, ENCRYPTED = 1, 2

GRAPH = "graph.jsonl.gz"
MEMORIES = "memories.json"
MANIFEST = "manifest.json"
_ENCRYPTED_NAME = "{}.enc"

#: Longest line that is read, in characters; the longest content with its vectors has a tenth.
_LONGEST_LINE = 64 * 2**20

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
_SHOWN = {CLEAR: _FIELDS, ENCRYPTED: _FIELDS - {"checksum"} | {"key_id", "sealed"}}


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
        if shown["format"] == CLEAR:
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
        with _reading(self.path, self.key(), name) as file:
            yield file

    @contextmanager
    def reading_text(self, name: str) -> Generator[TextIO]:
        """Yield the text of a file, decompressed; errors are those of `reading`."""
        with self.reading(name) as file, _as_text(file, name, "r") as text:
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
        with self.damage(), self.reading_text(GRAPH) as file:
            while line := file.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    raise ValueError(f"a line has {_LONGEST_LINE} characters or more")
                yield line

    def records(self) -> Generator[dict[str, Any]]:
        """Yield the nodes and relationships, as `dump` describes them.

        Raises:
            BackupError: The backup is damaged, or its key is not set.
        """
        with self.damage():
            for line in self.lines():
                yield json.loads(line)

    @contextmanager
    def damage(self, name: str = GRAPH) -> Generator[None]:
        """Raise an error in the block as damage of a file.

        Raises:
            BackupError: The block raised an error of reading or of a value.
        """
        try:
            yield
        except (OSError, EOFError, ValueError, zlib.error) as error:
            file = self.path / name
            stored = file if file.exists() else self.path / _ENCRYPTED_NAME.format(name)
            raise BackupError(
                f"{stored} is damaged ({error}). Nothing was changed; use another backup."
            ) from error

    def size(self) -> int:
        """Return the size of all files, in bytes."""
        return sum(each.stat().st_size for each in self.path.iterdir() if each.is_file())

    def _check_format(self, number: object) -> None:
        if number not in _SHOWN:
            raise BackupError(
                f"{self.path} has format {number}, but this version of graph-memory reads formats "
                f"{CLEAR} and {ENCRYPTED}. Install the version that made the backup."
            )

    def _remedy(self) -> str:
        """Return what is set in the place of a missing key, and what to set."""
        if not self.keys.texts:
            return f"and no key is set. Set {_SETTING} to this key, or add it to {_EARLIER}."
        known = ", ".join(key_of(text).id for text in self.keys.texts)
        return f"but the settings have {known} only. Add this key to {_EARLIER}."


class BackupWriter:
    """The files of a new backup, encrypted if there is a key."""

    def __init__(self, path: Path, key: Key | None) -> None:
        self.path = path
        self.format = ENCRYPTED if key else CLEAR
        self._key = key

    @contextmanager
    def writing(self, name: str) -> Generator[BinaryIO]:
        """Yield a stream to a new file; what is written to it is in clear."""
        with (self.path / _named(name, self._key)).open("wb") as file:
            if self._key is None:
                yield file
                return
            with encryption.encrypting(file, self._key, name) as stream:
                yield stream

    @contextmanager
    def writing_text(self, name: str) -> Generator[TextIO]:
        """Yield a text file to write, which is compressed by its name."""
        with self.writing(name) as file, _as_text(file, name, "w") as text:
            yield text

    @contextmanager
    def reading(self, name: str) -> Generator[BinaryIO]:
        """Yield a stream of a file that was written."""
        with _reading(self.path, self._key, name) as file:
            yield file

    def remove(self, name: str) -> None:
        """Remove a file that was written."""
        (self.path / _named(name, self._key)).unlink()

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


def _named(name: str, key: Key | None) -> str:
    return name if key is None else _ENCRYPTED_NAME.format(name)


@contextmanager
def _reading(folder: Path, key: Key | None, name: str) -> Generator[BinaryIO]:
    with (folder / _named(name, key)).open("rb") as file:
        if key is None:
            yield file
            return
        with encryption.decrypting(file, key, name) as stream:
            yield stream


def _as_text(file: BinaryIO, name: str, mode: str) -> TextIO:
    """Return a binary file as a text, compressed if its name ends so."""
    packed = name.endswith(".gz")
    whole = gzip.GzipFile(fileobj=file, mode=f"{mode}b", compresslevel=1) if packed else file
    return io.TextIOWrapper(whole, encoding="utf-8")
