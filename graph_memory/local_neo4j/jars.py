"""The jars of Neo4j: check the local copies and download the missing ones.

`neo4j.lock` lists the Maven coordinates, size and SHA-256 of each jar, and `neo4j-browser.lock`
those of Neo4j Browser; `make_lock.py` writes both. This package does not contain Neo4j: the first
use downloads it from its publisher.
"""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from graph_memory.local_neo4j.lock_file import (
    BROWSER_LOCK_FILE,
    LOCK_FILE,
    STAGING_PREFIX,
    Jar,
    digest,
    read_lock,
)

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

NEO4J_VERSION = "2026.09.0"
BROWSER_VERSION = "5.24.0"

#: The suffix of startup caches, which are beside the jars and serve exactly these files.
CACHE_SUFFIX = ".aot"


def jars_folder(settings: "Settings", version: str = NEO4J_VERSION) -> Path:
    """Return the folder of the jars of a version."""
    return settings.cache_dir.absolute() / f"neo4j-{version}"


def missing_jars(settings: "Settings", lock: Path = LOCK_FILE) -> int:
    """Count the jars that are absent or not of the size in the lock."""
    folder = jars_folder(settings)
    return sum(not _is_whole(folder, jar) for jar in read_lock(lock))


def ensure_jars(settings: "Settings", lock: Path = LOCK_FILE, version: str = NEO4J_VERSION) -> Path:
    """Download missing jars, and return the folder with exactly the jars of the lock.

    A marker records that the hashes of all jars were verified; after that only sizes are checked.
    Tests give the lock of another version.

    Raises:
        LocalNeo4jError: A jar cannot be fetched, or differs from the lock.
    """
    return _ensure(jars_folder(settings, version), lock, settings.maven_repository)


def ensure_browser(settings: "Settings", lock: Path = BROWSER_LOCK_FILE) -> Path:
    """Return the jar of Neo4j Browser; download it if it is missing.

    Raises:
        LocalNeo4jError: The jar cannot be fetched, or differs from the lock.
    """
    (jar,) = read_lock(lock)
    folder = settings.cache_dir.absolute() / f"{jar.artifact}-{jar.version}"
    return _ensure(folder, lock, settings.maven_repository) / jar.name


def _ensure(folder: Path, lock: Path, mirror: str | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    jars = read_lock(lock)
    if not _is_complete(folder, jars, lock):
        with FileLock(folder / ".lock"):
            _complete(folder, jars, lock, mirror)
    return folder


def distrust_jars(settings: "Settings") -> None:
    """Prepare the next start after a failed one: all hashes are verified, and no cache is used."""
    folder = jars_folder(settings)
    _marker(folder).unlink(missing_ok=True)
    _remove_caches(folder)


def _complete(folder: Path, jars: list[Jar], lock: Path, mirror: str | None) -> None:
    if _is_complete(folder, jars, lock):  # another process completed it
        return
    _remove_strays(folder, jars)
    wanted = [jar for jar in jars if not _is_intact(folder, jar)]
    if wanted:
        # The import takes half a second, and only the first start needs it.
        from graph_memory.local_neo4j.download import download

        download(wanted, folder, mirror)
        _remove_caches(folder)
    _marker(folder).write_text(digest(lock), encoding="utf-8")


def _remove_caches(folder: Path) -> None:
    for cache in folder.glob(f"*{CACHE_SUFFIX}"):
        cache.unlink(missing_ok=True)


def _marker(folder: Path) -> Path:
    return folder / ".complete"


def _is_complete(folder: Path, jars: list[Jar], lock: Path) -> bool:
    marker = _marker(folder)
    return (
        marker.is_file()
        and marker.read_text(encoding="utf-8") == digest(lock)
        and all(_is_whole(folder, jar) for jar in jars)
    )


def _is_whole(folder: Path, jar: Jar) -> bool:
    path = folder / jar.name
    return path.is_file() and path.stat().st_size == jar.size


def _is_intact(folder: Path, jar: Jar) -> bool:
    return _is_whole(folder, jar) and digest(folder / jar.name) == jar.sha256


def _remove_strays(folder: Path, jars: list[Jar]) -> None:
    # The whole folder is the class path of the JVM.
    known = {jar.name for jar in jars}
    for path in folder.glob("*.jar"):
        if path.name not in known:
            path.unlink()
    for path in folder.glob(f"{STAGING_PREFIX}*"):  # left by a killed download
        shutil.rmtree(path)
