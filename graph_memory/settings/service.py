"""The settings of who may call and what operators see, with unit, range and default."""

import os
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings


class ServiceSettings(BaseSettings):
    """How the service is run; a base of `Settings`."""

    # Who may call
    require_tokens: bool = Field(
        False, description="Require tokens on a loopback host, too, as behind a proxy."
    )
    token_cache_seconds: float = Field(
        2.0,
        ge=0,
        le=60,
        description="Time for which a revoked token may still be accepted, seconds.",
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

    @model_validator(mode="after")
    def _jwt_is_complete(self) -> Self:
        if self.jwt_jwks_url and not (self.jwt_issuer and self.jwt_audience):
            raise ValueError(
                "GRAPH_MEMORY_JWT_JWKS_URL needs GRAPH_MEMORY_JWT_ISSUER and "
                "GRAPH_MEMORY_JWT_AUDIENCE, or tokens made for others would be taken"
            )
        return self
