"""Download of jars from a Maven repository: eight at a time, each verified."""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import httpx

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import cancellation
from graph_memory.local_neo4j.lock_file import STAGING_PREFIX, Jar, digest
from graph_memory.local_neo4j.progress import download_progress

_log = logging.getLogger(__name__)

_CENTRAL = "https://repo.maven.apache.org/maven2"
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
        _client(mirror or _CENTRAL) as client,
    ):
        _fetch_in_parallel(client, Path(staging), folder, jars, report)


def _client(repository: str) -> httpx.Client:
    """Return a client whose connections all jars share; a new one takes longer than most jars.

    Raises:
        LocalNeo4jError: The certificates that the environment names cannot be read.
    """
    try:
        return httpx.Client(base_url=repository, timeout=_TIMEOUT_SECONDS, follow_redirects=True)
    except OSError as error:
        raise LocalNeo4jError(
            f"The certificates in SSL_CERT_FILE or SSL_CERT_DIR cannot be read ({error}). "
            "Correct the variable, or unset it."
        ) from error


def _fetch_in_parallel(
    client: httpx.Client,
    staging: Path,
    folder: Path,
    jars: list[Jar],
    report: Callable[[int], None],
) -> None:
    largest_first = sorted(jars, key=lambda jar: -jar.size)
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        fetched = {pool.submit(_fetch, client, staging, folder, jar): jar for jar in largest_first}
        try:
            for future in as_completed(fetched):
                future.result()
                cancellation.check()
                report(fetched[future].size)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _fetch(client: httpx.Client, staging: Path, folder: Path, jar: Jar) -> None:
    staged = staging / jar.name
    _download(client, jar, staged)
    found = digest(staged)
    if found != jar.sha256:
        raise LocalNeo4jError(
            f"{jar.name} has SHA-256 {found}, but {jar.sha256} is expected; it was deleted. "
            "Try again; if the error persists, a proxy or the mirror in "
            "GRAPH_MEMORY_MAVEN_REPOSITORY delivers another file."
        )
    os.replace(staged, folder / jar.name)


def _download(client: httpx.Client, jar: Jar, target: Path) -> None:
    """Download a jar; try again after each of `_PAUSES_SECONDS`."""
    for pause in _PAUSES_SECONDS:
        try:
            return _try_to_download(client, jar, target)
        except LocalNeo4jError as error:
            _log.info("%s Trying again in %g s", error, pause)
            time.sleep(pause)
    return _try_to_download(client, jar, target)


def _try_to_download(client: httpx.Client, jar: Jar, target: Path) -> None:
    try:
        with client.stream("GET", jar.path) as response, target.open("wb") as file:
            if not response.is_success:
                raise httpx.HTTPError(f"{response.url} answers {response.status_code}")
            for chunk in response.iter_bytes():
                file.write(chunk)
    except (OSError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise LocalNeo4jError(
            f"{jar.name} cannot be fetched ({error}). Check the network or the proxy, name the "
            "certificate of the proxy in SSL_CERT_FILE, or name a mirror in "
            "GRAPH_MEMORY_MAVEN_REPOSITORY; then try again."
        ) from error


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE_BYTES:
        raise LocalNeo4jError(
            f"Neo4j's jars need {(needed + _SPARE_BYTES) >> 20} MiB, but only {free >> 20} MiB "
            f"are free at {folder}. Make room, or set GRAPH_MEMORY_CACHE_DIR to another disk."
        )
