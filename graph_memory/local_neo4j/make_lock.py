"""Remake `neo4j.lock`; a maintainer's script: `python -m graph_memory.local_neo4j.make_lock`.

Maven resolves the dependencies, because only Maven's own choice of versions is what Neo4j was
tested with. Raise `NEO4J_VERSION` in `jars.py` first; the script needs `mvn` and about a minute.
"""

import hashlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graph_memory.local_neo4j.jars import LOCK_FILE, NEO4J_VERSION, Jar

_POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>graph-memory</groupId><artifactId>lock</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{}</version></dependency>
  </dependencies>
</project>
"""


def main() -> None:
    """Write the lock of `NEO4J_VERSION`, one line per jar, sorted by coordinates."""
    with tempfile.TemporaryDirectory() as folder:
        _resolve(Path(folder))
        lines = sorted((jar.line() for jar in _jars(Path(folder, "jars"))), key=_coordinates)
    LOCK_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _coordinates(line: str) -> str:
    return line.split()[-1]


def _resolve(folder: Path) -> None:
    """Let Maven copy all jars below `folder`, out of an empty repository so that it checks each."""
    pom = folder / "pom.xml"
    pom.write_text(_POM.format(NEO4J_VERSION), encoding="utf-8")
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
