"""The files of the local Neo4j of one data root, their size and their version."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j.jars import NEO4J_VERSION

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder `neo4j` below the data root, shared by server, CLI and tests."""

    root: Path

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        """Return the folder of these settings, without creating it."""
        # The resolved path identifies the instance, whatever link led to it.
        return cls(settings.data_dir.resolve() / "neo4j")

    @property
    def home(self) -> Path:
        """The home of Neo4j: conf, data and logs."""
        return self.root / "home"

    @property
    def data(self) -> Path:
        """The files of the databases, and their transaction logs."""
        return self.home / "data"

    @property
    def old_data(self) -> Path:
        """The files that a rewrite has replaced, until it has deleted them."""
        return self.home / "data.old"

    @property
    def rewrite(self) -> Path:
        """The folder of the second instance, into which a rewrite copies."""
        return self.root / "rewrite"

    @property
    def conf(self) -> Path:
        """The configuration of Neo4j."""
        return self.home / "conf" / "neo4j.conf"

    @property
    def console_log(self) -> Path:
        """The output of the JVM."""
        return self.home / "logs" / "console.log"

    @property
    def auth_file(self) -> Path:
        """The hash of the initial password; Neo4j reads it when it creates its system database."""
        return self.data / "dbms" / "auth.ini"

    @property
    def password_file(self) -> Path:
        """The generated password, readable only by its owner."""
        return self.root / "password"

    @property
    def instance_file(self) -> Path:
        """The running or last instance: process, port, version."""
        return self.root / "instance.json"

    @property
    def version_file(self) -> Path:
        """The newest Neo4j version that opened the data."""
        return self.root / "version"

    @property
    def keep_marker(self) -> Path:
        """A marker that keeps the instance running without users."""
        return self.root / "keep"

    @property
    def linger_file(self) -> Path:
        """The linger time in seconds; the time of its last change is that of the last use."""
        return self.root / "linger"

    @property
    def keeper_file(self) -> Path:
        """The process of the keeper: pid and start time."""
        return self.root / "keeper"

    @property
    def keeper_log(self) -> Path:
        """The output of the keeper."""
        return self.home / "logs" / "keeper.log"

    @property
    def users(self) -> Path:
        """One file for each process that uses the instance."""
        return self.root / "users"

    @property
    def lock_file(self) -> Path:
        """The lock for starting, stopping, registering and unregistering."""
        return self.root / "start.lock"

    def create(self) -> None:
        """Create the folders but that of the data, readable only by their owner."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)
        for path in (self.users, self.conf.parent, self.console_log.parent):
            path.mkdir(parents=True, exist_ok=True)

    def bytes_used(self) -> int:
        """Return the size of the files on disk in bytes."""
        return sum(
            _size(Path(path, file)) for path, _, files in os.walk(self.root) for file in files
        )

    def data_version(self) -> str | None:
        """Return the Neo4j version of the data, or None before the first start."""
        try:
            return self.version_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None

    def check_version(self) -> None:
        """Check that no newer Neo4j has opened the data.

        Raises:
            LocalNeo4jError: The data cannot be opened by this version.
        """
        found = self.data_version()
        if found and _ordered(found) > _ordered(NEO4J_VERSION):
            raise LocalNeo4jError(
                f"The data in {self.root} is of Neo4j {found}, but this release runs "
                f"{NEO4J_VERSION}, which cannot open it. Upgrade graph-memory, or set "
                "GRAPH_MEMORY_DATA_DIR to another folder and restore a backup there."
            )


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, completely or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    with contextlib.suppress(FileNotFoundError):
        partial.unlink()
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, path)
    except OSError as error:  # the error of a full disk does not name the file
        raise OSError(error.errno, error.strerror, str(path)) from error


def _size(path: Path) -> int:
    try:
        status = path.lstat()
    except FileNotFoundError:  # Neo4j deletes files during the walk
        return 0
    # Transaction logs occupy less than their length.
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
