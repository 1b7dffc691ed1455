"""How the local Neo4j is configured: its settings, its memory, its command line, its password."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j.folder import Folder, write_private
from graph_memory.local_neo4j.java import Java
from graph_memory.settings.base import Settings

LOOPBACK = "127.0.0.1"

# A private memory: nobody else is served or told anything, and no content reaches a log.
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
# After a kill, only what was written since the last checkpoint is replayed.
db.checkpoint.interval.time=15s
db.tx_log.rotation.size=64m
db.tx_log.rotation.retention_policy=256M size
# How late a transaction's timeout may strike; Neo4j's default is 2 s.
db.transaction.monitor.check.interval=200ms
# With keep-alive the driver bounds each read by a task of its own, a tenth of its work on Python
# 3.11. Reads and writes have a limit of ours, and here a Neo4j that has died is noticed at once.
server.bolt.connection_keep_alive_for_requests=OFF
# SIGTERM takes one second instead of twelve; Neo4j does not document these two.
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

_AMPLE_RAM_BYTES = 8 * 2**30
_HASH_ITERATIONS = 1024


@dataclass(frozen=True, slots=True)
class Memory:
    """What the JVM may take, in MiB."""

    heap: int
    page_cache: int

    @classmethod
    def of(cls, settings: Settings, ram_bytes: int | None = None) -> Self:
        """Take the settings, else what suits the machine's RAM."""
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
    java: Java, jars: Path, home: Path, memory: Memory, *, fast_start: bool
) -> list[str]:
    """Return the command that runs Neo4j in the foreground, with every jar of the folder `jars`.

    With `fast_start` the JVM compiles less well: Neo4j is up sooner, but vector search takes three
    times as long.
    """
    command = [str(java.path), *(f"--add-opens={name}=ALL-UNNAMED" for name in _OPENED_PACKAGES)]
    command += ["--enable-native-access=ALL-UNNAMED", *_by_version(java)]
    command += [f"-Xms{min(128, memory.heap)}m", f"-Xmx{memory.heap}m"]
    command += ["-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"]
    if fast_start:
        command.append("-XX:TieredStopAtLevel=1")
    command += ["-cp", f"{jars}{os.sep}*", "org.neo4j.server.Neo4jCommunity"]
    return [*command, home_argument(home), f"--config-dir={home / 'conf'}", "--console-mode"]


def home_argument(home: Path) -> str:
    """Return the argument that tells our JVM from every other process."""
    return f"--home-dir={home}"


def _by_version(java: Java) -> list[str]:
    # A JVM refuses to start with a flag or a module it does not know.
    flags: list[str] = []
    if java.feature >= 23:
        flags.append("--sun-misc-unsafe-memory-access=allow")
    if "jdk.incubator.vector" in java.modules:
        flags.append("--add-modules=jdk.incubator.vector")
    return flags


def ensure_password(folder: Folder) -> None:
    """Generate the password before the first start; the data keeps it from then on.

    Raises:
        LocalNeo4jError: There is data, but the file with its password is gone.
    """
    if folder.data_version() and not folder.password_file.is_file():
        raise LocalNeo4jError(
            f"{folder.password_file} is missing, and the data beside it needs that password. Put "
            "it back, or move the folder away and restore a backup into a new one."
        )
    if not folder.password_file.is_file():
        write_private(folder.password_file, secrets.token_urlsafe(24))
    if not folder.data_version():
        write_private(folder.auth_file, auth_line(read_password(folder), secrets.token_bytes(32)))


def read_password(folder: Folder) -> str:
    """Return the generated password."""
    return folder.password_file.read_text(encoding="utf-8").strip()


def auth_line(password: str, salt: bytes) -> str:
    """Return the user `neo4j` as Neo4j's own `set-initial-password` writes it."""
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"neo4j:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ITERATIONS}:\n"
