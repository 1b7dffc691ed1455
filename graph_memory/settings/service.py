"""The settings of the server: address, toolsets, tokens, metrics and backups."""

import os
from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from graph_memory.settings.types import EncryptionKey, EncryptionKeys, Words, as_group

TOOLSETS = ("core", "graph", "lifecycle", "admin", "compat", "graphiti", "hooks", "learning")


class ServiceSettings(BaseSettings):
    """Address and toolsets of the server, access, metrics and backups."""

    # The server
    host: str = Field(
        "127.0.0.1",
        description=(
            "Address on which the server listens. On other than loopback addresses "
            "callers need tokens."
        ),
    )
    port: int = Field(8765, ge=0, le=65535, description="Port of the server.")
    toolsets: Words = Field(
        ("core", "graph", "lifecycle", "admin"),
        description=(
            "Toolsets that agents see: any of core, graph, lifecycle, admin, compat, "
            "graphiti, hooks and learning, or `all`."
        ),
    )
    group_id: str = Field("default", description="Group, the tenant, of calls that name none.")
    allowed_hosts: Words = Field(
        (),
        description="Host names under which clients reach the server, beside the loopback names.",
    )
    cors_origins: Words = Field(
        (), description="Origins of web pages that may call the server, as https://app.example.com."
    )
    resource_links: bool = Field(
        False,
        description=(
            "Send a content block `resource_link` for each attachment, to clients that follow them."
        ),
    )
    page: bool = Field(True, description="Serve the page for people at /app.")
    concurrent_calls: int = Field(
        16,
        ge=1,
        le=1000,
        description=(
            "Tool calls that run at once; while several groups call, as many as processors if "
            "Neo4j and the embedding model are on this machine. More wait for their turn, shared "
            "fairly among groups, and are refused after ten seconds."
        ),
    )
    max_request_bytes: int = Field(
        8 * 2**20, ge=2**10, le=2**30, description="Size of a request, bytes, at most."
    )

    # Access
    require_tokens: bool = Field(
        False, description="Require tokens on a loopback host, too, as behind a proxy."
    )
    token_cache_seconds: float = Field(
        2.0,
        ge=0,
        le=60,
        description="Time for which a revoked token may still be accepted while Neo4j answers, "
        "seconds.",
    )
    rate_limit_per_minute: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Calls of one token in a minute, at most. By default no limit.",
    )
    traversal_rate_limit_per_minute: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Walks and analyses of one token in a minute, at most. By default no limit.",
    )
    jwt_jwks_url: str | None = Field(
        None,
        pattern=r"^https?://.+",
        description="Address of the keys of an identity provider. With it, JWTs are accepted.",
    )
    jwt_issuer: str | None = Field(None, description="Issuer that a JWT must name in `iss`.")
    jwt_audience: str | None = Field(None, description="Audience that a JWT must name in `aud`.")
    jwt_groups_claim: str = Field("groups", description="Claim that lists the groups of a JWT.")
    resource_url: str | None = Field(
        None,
        pattern=r"^https?://.+",
        description=(
            "Address at which clients reach /mcp. With it, the OAuth metadata of "
            "`jwt_issuer` is published."
        ),
    )

    # Metrics
    metrics_enabled: bool = Field(True, description="Publish metrics for Prometheus.")
    metrics_host: str = Field("127.0.0.1", description="Address on which metrics are published.")
    metrics_port: int = Field(9090, ge=0, le=65535, description="Port of the metrics.")
    metrics_cache_seconds: float = Field(
        10.0,
        ge=0,
        le=3600,
        description="Time for which values read from the database are reused, seconds.",
    )

    # Backups
    backup_path: Path | None = Field(
        default_factory=lambda: Path(p) if (p := os.environ.get("MEMORY_BACKUP_PATH")) else None,
        description=(
            "Folder of the backups, also by MEMORY_BACKUP_PATH. By default backups/ in `data_dir`."
        ),
    )
    backup_auto: bool = Field(True, description="Let a server make backups after saves.")
    backup_interval_hours: float = Field(
        24.0, gt=0, description="Age of the latest backup after which a save makes another, hours."
    )
    backup_every_n: int = Field(
        100, ge=1, description="Number of memories at whose multiples a save makes a backup."
    )
    backup_keep: int = Field(
        10, ge=1, le=10_000, description="Backups that are kept; older ones are deleted."
    )
    backup_key: EncryptionKey = Field(
        SecretStr(""),
        description=(
            "Key or passphrase of 32 characters or more, with which new backups are encrypted; "
            "`graph-memory backup key` makes one. By default backups are in clear."
        ),
    )
    backup_earlier_keys: EncryptionKeys = Field(
        (), description="Earlier keys, with which older backups are read."
    )

    @field_validator("toolsets")
    @classmethod
    def _known_toolsets(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value == ("all",):
            return TOOLSETS
        if unknown := sorted(set(value) - set(TOOLSETS)):
            raise ValueError(
                f"unknown toolset {unknown}; choose from {', '.join(TOOLSETS)} or 'all'"
            )
        return value

    @field_validator("group_id")
    @classmethod
    def _plain_group(cls, value: str) -> str:
        return as_group(value)

    @model_validator(mode="after")
    def _jwt_is_complete(self) -> Self:
        if self.jwt_jwks_url and not (self.jwt_issuer and self.jwt_audience):
            raise ValueError(
                "GRAPH_MEMORY_JWT_JWKS_URL needs GRAPH_MEMORY_JWT_ISSUER and "
                "GRAPH_MEMORY_JWT_AUDIENCE, or tokens issued for other services would be accepted"
            )
        return self
