"""Stored files of a backup: opened in clear, or encrypted if there is a key."""

import gzip
import io
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from graph_memory.backup import encryption
from graph_memory.backup.encryption import Key

ENCRYPTED_NAME = "{}.enc"

#: Longest line or part that is read, in bytes; the longest content with its vectors has a tenth.
LONGEST_LINE = 64 * 2**20

#: Errors of a file that was damaged.
DAMAGE = (OSError, EOFError, ValueError, zlib.error)


def stored_name(name: str, key: Key | None) -> str:
    """Return the name under which a file is stored."""
    return name if key is None else ENCRYPTED_NAME.format(name)


@contextmanager
def writing(folder: Path, key: Key | None, name: str) -> Generator[BinaryIO]:
    """Yield a stream to a new file; what is written to it is in clear."""
    with (folder / stored_name(name, key)).open("wb") as file:
        if key is None:
            yield file
            return
        with encryption.encrypting(file, key, name) as stream:
            yield stream


@contextmanager
def reading(folder: Path, key: Key | None, name: str) -> Generator[BinaryIO]:
    """Yield a stream of a file in clear.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file was changed; the stream raises it, too.
    """
    with (folder / stored_name(name, key)).open("rb") as file:
        if key is None:
            yield file
            return
        with encryption.decrypting(file, key, name) as stream:
            yield stream


def decompressed(file: BinaryIO) -> gzip.GzipFile:
    """Return the contents of a compressed file."""
    return gzip.GzipFile(fileobj=file, mode="rb")


def as_text(file: BinaryIO, name: str, mode: str) -> TextIO:
    """Return a binary file as a text, compressed if its name ends so."""
    packed = name.endswith(".gz")
    whole = gzip.GzipFile(fileobj=file, mode=f"{mode}b", compresslevel=1) if packed else file
    return io.TextIOWrapper(whole, encoding="utf-8")


def lines_of(file: gzip.GzipFile) -> Generator[bytes]:
    """Yield the lines of a file.

    Raises:
        ValueError: A line is too long to be one of a backup.
    """
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"a line has {LONGEST_LINE} bytes or more")
        yield line
