"""Download of jars by their Maven coordinates: eight at a time, each verified.

jgo maps coordinates to files of a repository. Its dependency resolver is not used: it is slow and
chooses other versions than Maven.
"""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from jgo.maven import MavenContext

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import cancellation
from graph_memory.local_neo4j.lock_file import STAGING_PREFIX, Jar, digest
from graph_memory.local_neo4j.progress import download_progress

_log = logging.getLogger(__name__)

_CONNECTIONS = 8
_PAUSES_SECONDS = (0.5, 1.0, 2.0)
_TIMEOUT_SECONDS = 30
_SPARE_BYTES = 64 * 2**20


def download(jars: list[Jar], folder: Path, mirror: str | None) -> None:
    """Download jars into `folder`; each file appears complete and verified, or not at all.

    `mirror` is the base URL of a repository in place of Maven Central.

    Raises:
        LocalNeo4jError: A jar cannot be fetched, differs from the lock, or the disk is full.
    """
    total = sum(jar.size for jar in jars)
    _check_space(folder, total)
    # The staging folder is inside: a rename must not cross file systems.
    with (
        tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=folder) as staging,
        download_progress(len(jars), total) as report,
    ):
        context = MavenContext(
            repo_cache=Path(staging),
            remote_repos={"mirror": mirror.rstrip("/")} if mirror else None,
            timeout=_TIMEOUT_SECONDS,
        )
        _fetch_in_parallel(context, folder, jars, report)


def _fetch_in_parallel(
    context: MavenContext, folder: Path, jars: list[Jar], report: Callable[[int], None]
) -> None:
    largest_first = sorted(jars, key=lambda jar: -jar.size)
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        fetched = {pool.submit(_fetch, context, folder, jar): jar for jar in largest_first}
        try:
            for future in as_completed(fetched):
                future.result()
                cancellation.check()
                report(fetched[future].size)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _fetch(context: MavenContext, folder: Path, jar: Jar) -> None:
    staged = _resolve(context, jar)
    found = digest(staged)
    if found != jar.sha256:
        raise LocalNeo4jError(
            f"{jar.name} has SHA-256 {found}, but {jar.sha256} is expected; it was deleted. "
            "Try again; if the error persists, a proxy or the mirror in "
            "GRAPH_MEMORY_MAVEN_REPOSITORY delivers another file."
        )
    os.replace(staged, folder / jar.name)


def _resolve(context: MavenContext, jar: Jar) -> Path:
    for pause in _PAUSES_SECONDS:
        try:
            return _try_to_resolve(context, jar)
        except LocalNeo4jError as error:
            _log.info("%s Trying again in %g s", error, pause)
            time.sleep(pause)
    return _try_to_resolve(context, jar)


def _try_to_resolve(context: MavenContext, jar: Jar) -> Path:
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    try:
        return component.artifact(jar.classifier).resolve()
    except (OSError, RuntimeError) as error:
        # Delete the partial file: jgo would take it for the jar.
        (context.repo_cache / component.path_prefix / jar.name).unlink(missing_ok=True)
        raise LocalNeo4jError(
            f"{jar.name} cannot be fetched ({error}). Check the network or the proxy, or name a "
            "mirror in GRAPH_MEMORY_MAVEN_REPOSITORY; then try again."
        ) from error


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE_BYTES:
        raise LocalNeo4jError(
            f"Neo4j's jars need {(needed + _SPARE_BYTES) >> 20} MiB, but only {free >> 20} MiB "
            f"are free at {folder}. Make room, or set GRAPH_MEMORY_CACHE_DIR to another disk."
        )
