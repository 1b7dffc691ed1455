"""Encryption of the files of a backup as streams: AES-256-GCM in chunks.

A file is a mark, a random salt, and chunks of 64 KiB with a tag of 16 bytes each. The nonce of a
chunk is its number, and whether it is the last one. So a chunk that was changed, moved, repeated or
left out does not decrypt, nor does a file that was cut. This is the construction STREAM of Hoang,
Reyhanitabar, Rogaway and Vizár: "Online Authenticated-Encryption and its Nonce-Reuse
Misuse-Resistance", CRYPTO 2015.

Each file has its own key, by its salt and its name, so that no nonce occurs twice under a key, and
a file does not pass for another one.

Functions import `cryptography`, so that commands without encrypted backups start without it.
"""

import hmac
import io
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CIPHER = "AES-256-GCM"

#: Size of a chunk, its tag, the salt, a key, and the id of a key, in bytes.
CHUNK = 2**16
TAG = 16
_SALT = 32
_KEY = 32
_ID = 8

_MARK = b"graph-memory encrypted 1\n"
HEADER = len(_MARK) + _SALT

#: Size of the number in a nonce of 12 bytes, in bytes; the last byte marks the last chunk.
_NUMBER = 11


@dataclass(frozen=True, slots=True)
class Key:
    """A key for backups, and the short id by which a manifest names it."""

    id: str
    _root: bytes = field(repr=False)

    def cipher(self, salt: bytes, name: str) -> "AESGCM":
        """Return the cipher of a file, by its salt and its name."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(_derive(self._root, salt, _MARK + name.encode(), _KEY))

    def part_digest(self) -> hmac.HMAC:
        """Return a digest for the names of parts, which cannot be computed without the key."""
        return hmac.new(_derive(self._root, b"", b"graph-memory part", _KEY), digestmod="sha256")


@cache
def key_of(secret: str) -> Key:
    """Return the key that a text stands for.

    The text may be a passphrase, which can be guessed. scrypt makes each guess cost 64 MiB and a
    third of a second, for a guess at the id as well. Its salt is fixed, because every backup must
    show the same id. So it runs once in a process. HKDF, which costs nothing, derives the key of
    each file from the result and a random salt.
    """
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    scrypt = Scrypt(salt=b"graph-memory backup key", length=_KEY, n=2**16, r=8, p=2)
    root = scrypt.derive(secret.encode())
    return Key(_derive(root, b"", b"graph-memory key id", _ID).hex(), root)


def _derive(root: bytes, salt: bytes, purpose: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=purpose).derive(root)


@contextmanager
def encrypting(file: BinaryIO, key: Key, name: str) -> Generator[BinaryIO]:
    """Yield a stream that writes to a file, encrypted.

    The file is complete only after the block, and only if the block raises nothing.

    Args:
        file: The file; it stays open.
        key: The key.
        name: Name of the file, by which it must be read.
    """
    sealing = _Sealing(file, key, name)
    with io.BufferedWriter(sealing, CHUNK) as stream:
        yield stream
    sealing.finish()


@contextmanager
def decrypting(file: BinaryIO, key: Key, name: str) -> Generator[BinaryIO]:
    """Yield a stream that reads an encrypted file; each byte of it is authentic.

    Args:
        file: The file; it stays open.
        key: The key with which it was encrypted.
        name: The name with which it was encrypted.

    Raises:
        ValueError: The file is not encrypted, was changed or cut, or has another key or name. The
            stream raises it, too.
    """
    with io.BufferedReader(_Opening(file, key, name), CHUNK) as stream:
        yield stream


def seal(data: bytes, key: Key, name: str) -> bytes:
    """Return some bytes, encrypted as a file of this name."""
    file = io.BytesIO()
    with encrypting(file, key, name) as stream:
        stream.write(data)
    return file.getvalue()


def unseal(data: bytes, key: Key, name: str) -> bytes:
    """Return the bytes that were sealed; errors are those of `decrypting`."""
    with decrypting(io.BytesIO(data), key, name) as stream:
        return stream.read()


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(_NUMBER) + bytes([last])


class _Sealing(io.RawIOBase):
    """A stream that encrypts what is written to it, and holds a chunk at most."""

    def __init__(self, file: BinaryIO, key: Key, name: str) -> None:
        salt = secrets.token_bytes(_SALT)
        file.write(_MARK + salt)
        self._file = file
        self._cipher = key.cipher(salt, name)
        self._waiting = bytearray()
        self._number = 0

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        given = memoryview(data).cast("B")
        self._waiting += given
        while len(self._waiting) > CHUNK:  # a whole chunk may still be the last one
            self._put(last=False)
        return given.nbytes

    def finish(self) -> None:
        """Write the last chunk, which completes the file."""
        self._put(last=True)

    def _put(self, *, last: bool) -> None:
        chunk = bytes(self._waiting[:CHUNK])
        del self._waiting[:CHUNK]
        self._file.write(self._cipher.encrypt(_nonce(self._number, last=last), chunk, None))
        self._number += 1


class _Opening(io.RawIOBase):
    """A stream that decrypts a file, a chunk at a time."""

    def __init__(self, file: BinaryIO, key: Key, name: str) -> None:
        header = file.read(HEADER)
        if len(header) < HEADER or not header.startswith(_MARK):
            raise ValueError("it does not begin as an encrypted file")
        self._file = file
        self._cipher = key.cipher(header[len(_MARK) :], name)
        self._next = self._read()
        self._rest = memoryview(b"")
        self._number = 0
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        if not self._rest and not self._ended:
            self._rest = memoryview(self._chunk())
        target = memoryview(buffer).cast("B")
        count = min(target.nbytes, self._rest.nbytes)
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def _read(self) -> bytes:
        return self._file.read(CHUNK + TAG)

    def _chunk(self) -> bytes:
        """Return the next chunk in clear."""
        from cryptography.exceptions import InvalidTag

        sealed, self._next = self._next, self._read()
        number, last = self._number, not self._next
        self._number += 1
        try:
            clear = self._cipher.decrypt(_nonce(number, last=last), sealed, None)
        except InvalidTag as error:
            reason = "it was changed or cut, or has another key"
            raise ValueError(f"piece {number + 1} does not decrypt: {reason}") from error
        self._ended = last
        return clear
