"""The settings of Neo4j, and of the folders of the service."""

from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings

from graph_memory.settings.hosts import Neo4jUri, host_of, is_loopback


class DatabaseSettings(BaseSettings):
    """Folders, the connection to Neo4j, and the local Neo4j."""

    # Where things are
    data_dir: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("graph-memory"),
        description="Folder of the local database, its password, backups and calibrations. "
        "By default the data folder of the user.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("graph-memory"),
        description="Folder of downloads that can be fetched again: the jars of the local Neo4j. "
        "By default the cache folder of the user.",
    )

    # Neo4j; without a URI the service runs a local one of its own
    neo4j_uri: Neo4jUri | None = Field(
        None,
        description=(
            "Address of Neo4j; `bolt` or `neo4j`, with `+s` or `+ssc` for TLS. "
            "Without it a local Neo4j runs."
        ),
    )
    neo4j_user: str = Field("neo4j", description="User of Neo4j.")
    neo4j_password: SecretStr = Field(SecretStr(""), description="Password of that user.")
    neo4j_database: str = Field("neo4j", description="Database in that Neo4j.")
    neo4j_pool_size: int = Field(50, ge=2, le=1000, description="Connections to Neo4j, at most.")
    neo4j_concurrent_reads: int | None = Field(
        None,
        ge=1,
        le=1000,
        description=(
            "Reads of Neo4j at once. By default the number of processors if Neo4j is "
            "on this machine, else no limit."
        ),
    )
    connect_timeout_seconds: float = Field(
        3.0, gt=0, le=60, description="Timeout of a connection to Neo4j, seconds."
    )
    query_timeout_seconds: float = Field(
        30.0, gt=0, le=3600, description="Timeout of one statement, seconds."
    )
    retry_seconds: float = Field(
        4.0, ge=0, le=300, description="Time for which a deadlock is retried, seconds."
    )
    placement_file: Annotated[Path | None, BeforeValidator(lambda v: v or None)] = Field(
        None,
        description=(
            "Path of a TOML file that places groups on several Neo4j servers. "
            "Without it all groups are in the configured database."
        ),
    )
    migrate_on_start: bool = Field(
        True,
        description="Apply missing migrations of the schema when the service opens the database.",
    )

    # The local Neo4j
    java: Path | None = Field(
        None, description="Path of a `java` of version 21 or newer. By default it is searched."
    )
    maven_repository: str | None = Field(
        None, description="Address of a mirror of Maven Central, for the jars of the local Neo4j."
    )
    local_heap_mebibytes: int | None = Field(
        None, ge=128, description="Heap of the local Neo4j, MiB. By default it follows the RAM."
    )
    local_page_cache_mebibytes: int | None = Field(
        None, ge=8, description="Page cache of the local Neo4j, MiB. By default it follows the RAM."
    )
    local_start_seconds: float = Field(
        180.0, ge=10, le=3600, description="Timeout for the start of the local Neo4j, seconds."
    )
    local_linger_seconds: float = Field(
        600.0,
        ge=0,
        le=604_800,
        description="Time for which the local Neo4j stays after its last use, seconds. "
        "0 stops it with its last user.",
    )
    local_startup_cache: bool = Field(
        True,
        description="Create the startup cache of the local Neo4j after its first use. "
        "It takes 110 MB, and shortens later starts by a third. It needs Java 25.",
    )
    local_fast_start: bool = Field(
        False, description="Start the local Neo4j with less optimised JVM code; for tests."
    )

    @property
    def neo4j_is_here(self) -> bool:
        """True if Neo4j runs on this machine, and shares its processors."""
        return self.neo4j_uri is None or is_loopback(host_of(self.neo4j_uri))
