"""Bearer tokens: who may call, in which groups, to do what.

A token is shown once, when it is made; the database keeps its SHA-256. Instants here go by the wall
clock of whoever asks.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from graph_memory.auth.grants import Grant, Scope
from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import GroupId, Line, validate_value
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import TokenNotFoundError

_PREFIX = "gm_"  # lets scanners for leaked secrets find it
_SECRET_BYTES = 32
_ID_BYTES = 6

Groups = Annotated[tuple[GroupId, ...], Field(min_length=1, max_length=1000)]
Days = Annotated[float, Field(gt=0, le=36_500)]


@dataclass(frozen=True, slots=True)
class Token:
    """A token, without its secret."""

    token_id: str
    name: str
    scope: Scope
    groups: tuple[str, ...] | None  #: None: all
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None

    @property
    def grant(self) -> Grant:
        """What it allows."""
        return Grant(f"{self.name}/{self.token_id}", self.scope, self.groups)

    def valid_at(self, now: datetime) -> bool:
        """Tell whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


async def create(
    graph: Graph,
    name: str,
    *,
    groups: tuple[str, ...] | None,
    scope: Scope,
    days: float | None = None,
    now: datetime,
) -> tuple[Token, str]:
    """Make a token, and return it with its secret, which is stored nowhere.

    Args:
        graph: Where to.
        name: What people call it.
        groups: The tenants it is for; None for all.
        scope: What it allows.
        days: How long it is valid; None for good.
        now: The wall clock.
    """
    groups = None if groups is None else validate_value(Groups, groups, "groups")
    lasting = None if days is None else timedelta(days=validate_value(Days, days, "days"))
    secret = _secret()
    token = await graph.one(
        "auth/tokens/create",
        Token,
        token_id=secrets.token_hex(_ID_BYTES),
        sha256=_sha256(secret),
        name=validate_value(Line, name, "name"),
        groups=None if groups is None else list(groups),
        scope=str(scope),
        now=instant(now),
        expires_at=None if lasting is None else instant(now + lasting),
    )
    if token is None:
        raise TokenNotFoundError(name)
    return token, secret


async def find(graph: Graph, secret: str) -> Token | None:
    """Find the token a secret is of, valid or not."""
    return await graph.one("auth/tokens/find", Token, sha256=_sha256(secret))


async def listed(graph: Graph) -> list[Token]:
    """List all tokens, the latest first."""
    return await graph.rows("auth/tokens/list", Token)


async def revoke(graph: Graph, token_id: str, *, now: datetime) -> Token:
    """Make a token invalid, for good.

    Raises:
        TokenNotFoundError: There is no such token.
    """
    token = await graph.one("auth/tokens/revoke", Token, token_id=token_id, now=instant(now))
    if token is None:
        raise TokenNotFoundError(token_id)
    return token


async def rotate(graph: Graph, token_id: str) -> tuple[Token, str]:
    """Give a token another secret; the one before is invalid from now on.

    Raises:
        TokenNotFoundError: There is no such token, or it is revoked.
    """
    secret = _secret()
    token = await graph.one("auth/tokens/rotate", Token, token_id=token_id, sha256=_sha256(secret))
    if token is None:
        raise TokenNotFoundError(token_id)
    return token, secret


def _secret() -> str:
    return _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def _sha256(secret: str) -> str:
    """Return what is stored; a secret of 256 random bits needs no slower hash."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
