"""Script for maintainers that writes the locks: `python -m graph_memory.local_neo4j.make_lock`.

Maven resolves the dependencies, because Neo4j was tested with the versions that Maven chooses.
Raise the versions in `jars.py` first. The script needs `mvn` and about a minute.

With a version and a file, as in `... make_lock 2026.07.1 tests/data/neo4j-2026.07.1.lock`, it
writes the lock of that Neo4j alone. Tests run it as the oldest one that this package accepts.
"""

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graph_memory.local_neo4j.jars import BROWSER_VERSION, NEO4J_VERSION
from graph_memory.local_neo4j.lock_file import BROWSER_LOCK_FILE, LOCK_FILE, Jar

_POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>graph-memory</groupId><artifactId>lock</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>
  </dependencies>
</project>
"""


def main() -> None:
    """Write the locks, one line per jar, sorted by coordinates."""
    if len(sys.argv) > 1:
        version, file = sys.argv[1:]
        _lock(Path(file), "org.neo4j", "neo4j", version)
        return
    _lock(LOCK_FILE, "org.neo4j", "neo4j", NEO4J_VERSION)
    _lock(BROWSER_LOCK_FILE, "org.neo4j.client", "neo4j-browser", BROWSER_VERSION)


def _lock(file: Path, *coordinates: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _resolve(Path(folder), *coordinates)
        lines = sorted((jar.line() for jar in _jars(Path(folder, "jars"))), key=_coordinates)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _coordinates(line: str) -> str:
    return line.split()[-1]


def _resolve(folder: Path, *coordinates: str) -> None:
    """Let Maven copy all jars below `folder`; with an empty repository it verifies each."""
    pom = folder / "pom.xml"
    pom.write_text(_POM.format(*coordinates), encoding="utf-8")
    command = [
        *("mvn", "--batch-mode", "--quiet", "--strict-checksums", "--file", str(pom)),
        f"-Dmaven.repo.local={folder / 'repository'}",
        *("dependency:copy-dependencies", "-DincludeScope=runtime"),
        *("-Dmdep.useRepositoryLayout=true", f"-DoutputDirectory={folder / 'jars'}"),
    ]
    subprocess.run(command, check=True, timeout=600)


def _jars(folder: Path) -> Iterator[Jar]:
    for path in folder.rglob("*.jar"):
        *group, artifact, version, file = path.relative_to(folder).parts
        classifier = Path(file).stem.removeprefix(f"{artifact}-{version}").removeprefix("-")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield Jar(digest, path.stat().st_size, ".".join(group), artifact, version, classifier)


if __name__ == "__main__":
    main()
