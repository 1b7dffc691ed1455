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
        False, description="Ask for tokens on a loopback host, too, as behind a proxy."
    )
    token_cache_seconds: float = Field(
        2.0, ge=0, le=60, description="How long a token may still be taken after it was revoked."
    )
    rate_limit_per_minute: int | None = Field(
        None, ge=1, le=1_000_000, description="Calls of one token; no limit unless set."
    )
    traversal_rate_limit_per_minute: int | None = Field(
        None, ge=1, le=1_000_000, description="Walks and analyses of one token."
    )
    jwt_jwks_url: str | None = Field(
        None,
        pattern=r"^https?://.+",
        description="Where an identity provider publishes its keys; its JWTs are then taken.",
    )
    jwt_issuer: str | None = Field(None, description="The `iss` a JWT must have.")
    jwt_audience: str | None = Field(None, description="The `aud` a JWT must have.")
    jwt_groups_claim: str = Field("groups", description="The claim that lists a JWT's groups.")
    resource_url: str | None = Field(
        None,
        pattern=r"^https?://.+",
        description="Where clients reach /mcp; with it, OAuth metadata of `jwt_issuer` is served.",
    )

    # Metrics
    metrics_cache_seconds: float = Field(
        10.0, ge=0, le=3600, description="How long what scrapes read of the database is kept."
    )

    # Backups
    backup_path: Path | None = Field(
        default_factory=lambda: Path(p) if (p := os.environ.get("MEMORY_BACKUP_PATH")) else None,
        description="Where backups go; MEMORY_BACKUP_PATH, too. By default backups/ in data_dir.",
    )
    backup_auto: bool = Field(True, description="Whether a server makes backups after saves.")
    backup_interval_hours: float = Field(24.0, gt=0, description="After which a save makes one.")
    backup_every_n: int = Field(
        100, ge=1, description="Memories; one is made when their number is a multiple."
    )
    backup_keep: int = Field(10, ge=1, le=10_000, description="Backups; older ones are deleted.")

    @model_validator(mode="after")
    def _jwt_is_complete(self) -> Self:
        if self.jwt_jwks_url and not (self.jwt_issuer and self.jwt_audience):
            raise ValueError(
                "GRAPH_MEMORY_JWT_JWKS_URL needs GRAPH_MEMORY_JWT_ISSUER and "
                "GRAPH_MEMORY_JWT_AUDIENCE, or tokens made for others would be taken"
            )
        return self
