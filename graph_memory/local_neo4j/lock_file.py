"""Lock files: the exact jars of Neo4j and of Neo4j Browser."""

import hashlib
from dataclasses import astuple, dataclass
from pathlib import Path

LOCK_FILE = Path(__file__).with_name("neo4j.lock")
BROWSER_LOCK_FILE = Path(__file__).with_name("neo4j-browser.lock")
STAGING_PREFIX = ".fetch-"


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock: a file of a repository with its size and hash."""

    sha256: str
    size: int
    group: str
    artifact: str
    version: str
    classifier: str = ""

    @property
    def name(self) -> str:
        """The file name in a repository."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.jar"

    @property
    def path(self) -> str:
        """The path of the file in a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"

    def line(self) -> str:
        """Return the line of the jar in the lock."""
        coordinates = [str(part) for part in astuple(self)[2:] if part]
        return f"{self.sha256} {self.size} {':'.join(coordinates)}"


def read_lock(path: Path = LOCK_FILE) -> list[Jar]:
    """Read a lock: one jar per line, `sha256 size group:artifact:version[:classifier]`."""
    jars: list[Jar] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        sha256, size, coordinates = line.split()
        jars.append(Jar(sha256, int(size), *coordinates.split(":")))
    return jars


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
