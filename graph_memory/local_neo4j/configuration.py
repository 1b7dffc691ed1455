"""Configuration of the local Neo4j: settings, memory, command line, password."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psutil

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j.folder import Folder, write_private
from graph_memory.local_neo4j.jars import CACHE_SUFFIX
from graph_memory.local_neo4j.java import Java

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

LOOPBACK = "127.0.0.1"

# A private database: it serves no other machine, reports nothing, and logs no content.
_CONF = """\
server.default_listen_address={host}
server.bolt.listen_address={host}:{port}
server.bolt.advertised_address={host}:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size={page_cache}m
client.allow_telemetry=false
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
server.bolt.telemetry.enabled=false
dbms.security.allow_csv_import_from_file_urls=false
db.logs.query.enabled=OFF
# Neo4j plans a statement again when the counts of nodes have changed by three quarters, here once a
# minute at most: planning takes up to a second, and by default comes with every size that a group
# grows through. A plan from an empty database reads all memories of a group, so it must not last.
dbms.cypher.min_replan_interval=1m
# After a kill, Neo4j replays the writes since the last checkpoint.
db.checkpoint.interval.time=15s
db.tx_log.rotation.size=64m
db.tx_log.rotation.retention_policy=256M size
# Maximum delay of the timeout of a transaction; the default is 2 s.
db.transaction.monitor.check.interval=200ms
# With keep-alive the driver starts a task for each read, a tenth of its work on Python 3.11. Our
# reads and writes have a timeout, and the end of a local Neo4j is noticed at once.
server.bolt.connection_keep_alive_for_requests=OFF
# With these two undocumented settings, SIGTERM takes one second instead of twelve.
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
internal.server.bolt.thread_pool_shutdown_wait_time=1s
"""

_OPENED_PACKAGES = (
    "java.base/java.nio",
    "java.base/java.io",
    "java.base/sun.nio.ch",
    "java.base/java.lang",
    "java.base/java.util.concurrent",
)

_OLDEST_JAVA_WITH_CACHE = 25

_AMPLE_RAM_BYTES = 8 * 2**30
_HASH_ITERATIONS = 1024


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of the JVM in MiB."""

    heap: int
    page_cache: int

    @classmethod
    def of(cls, settings: "Settings", ram_bytes: int | None = None) -> Self:
        """Return the memory of the settings, or a default for the RAM of this machine."""
        ram = psutil.virtual_memory().total if ram_bytes is None else ram_bytes
        heap, page_cache = (1024, 512) if ram >= _AMPLE_RAM_BYTES else (512, 128)
        return cls(
            settings.local_heap_mebibytes or heap,
            settings.local_page_cache_mebibytes or page_cache,
        )


def render_conf(port: int, memory: Memory) -> str:
    """Return the text of `neo4j.conf`."""
    return _CONF.format(host=LOOPBACK, port=port, page_cache=memory.page_cache)


def command_line(
    java: Java,
    jars: Path,
    home: Path,
    memory: Memory,
    *,
    fast_start: bool,
    cache_output: Path | None = None,
) -> list[str]:
    """Return the command that runs Neo4j in the foreground with all jars of the folder `jars`.

    With `fast_start` the JVM optimises less: Neo4j starts sooner, but vector search takes three
    times as long. The JVM writes a startup cache to `cache_output` when it ends; without that
    it uses the one that exists.
    """
    command = [str(java.path), *(f"--add-opens={name}=ALL-UNNAMED" for name in _OPENED_PACKAGES)]
    command += ["--enable-native-access=ALL-UNNAMED", *_version_flags(java)]
    command += [f"-Xms{min(128, memory.heap)}m", heap_argument(memory)]
    command += ["-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"]
    if fast_start:
        command.append("-XX:TieredStopAtLevel=1")
    command += _cache_options(java, jars, cache_output)
    command += ["-cp", f"{jars}{os.sep}*", "org.neo4j.server.Neo4jCommunity"]
    return [*command, home_argument(home), f"--config-dir={home / 'conf'}", "--console-mode"]


def cache_file(java: Java, jars: Path) -> Path | None:
    """Return the file of the startup cache of a Java, existing or not; None if it can have none.

    It needs Java 25. On Windows a JVM is killed, and writes nothing at its end.
    """
    executable = java.path.resolve()
    release = executable.parent.parent / "release"
    if java.feature < _OLDEST_JAVA_WITH_CACHE or os.name != "posix" or not release.is_file():
        return None
    key = hashlib.sha256(os.fsencode(executable) + release.read_bytes()).hexdigest()[:12]
    return jars / f"startup-{key}{CACHE_SUFFIX}"


def _cache_options(java: Java, jars: Path, output: Path | None) -> list[str]:
    if output:
        return [f"-XX:AOTCacheOutput={output}"]
    file = cache_file(java, jars)
    return [f"-XX:AOTCache={file}"] if file and file.is_file() else []


def heap_argument(memory: Memory) -> str:
    """Return the argument that limits the heap of the JVM."""
    return f"-Xmx{memory.heap}m"


def home_argument(home: Path) -> str:
    """Return the argument that distinguishes our JVM from other processes."""
    return f"--home-dir={home}"


def _version_flags(java: Java) -> list[str]:
    # A JVM does not start with an unknown flag or module.
    flags: list[str] = []
    if java.feature >= 23:
        flags.append("--sun-misc-unsafe-memory-access=allow")
    if "jdk.incubator.vector" in java.modules:
        flags.append("--add-modules=jdk.incubator.vector")
    return flags


def ensure_password(folder: Folder) -> None:
    """Generate the password before the first start; Neo4j stores it with the data.

    Raises:
        LocalNeo4jError: The data exists, but the file with its password does not.
    """
    if folder.data_version() and not folder.password_file.is_file():
        raise LocalNeo4jError(
            f"{folder.password_file} is missing, and the data beside it needs that password. Put "
            "it back, or move the folder away and restore a backup into a new one."
        )
    if not folder.password_file.is_file():
        write_private(folder.password_file, secrets.token_urlsafe(24))
    if not folder.data_version():
        folder.auth_file.parent.mkdir(parents=True, exist_ok=True)
        write_private(folder.auth_file, auth_line(read_password(folder), secrets.token_bytes(32)))


def read_password(folder: Folder) -> str:
    """Return the generated password."""
    return folder.password_file.read_text(encoding="utf-8").strip()


def auth_line(password: str, salt: bytes) -> str:
    """Return the line of the user `neo4j` in the format of `set-initial-password`."""
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"neo4j:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ITERATIONS}:\n"
