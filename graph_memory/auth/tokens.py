"""Bearer tokens: create, find, list, revoke, rotate.

The secret of a token is shown once, at its creation; the database stores its SHA-256. Instants are
those of the caller's wall clock.
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
from graph_memory.domain.origin import Authority
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import TokenNotFoundError

_PREFIX = "gm_"  # lets scanners detect leaked secrets
_SECRET_BYTES = 32
_ID_BYTES = 6

Groups = Annotated[tuple[GroupId, ...], Field(min_length=1, max_length=1000)]
Days = Annotated[float, Field(gt=0, le=36_500)]


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret."""

    token_id: str
    name: str
    scope: Scope
    groups: tuple[str, ...] | None  #: None for all groups
    authority: Authority  #: of the texts that its callers write
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None

    @property
    def grant(self) -> Grant:
        """The grant of the token."""
        return Grant(f"{self.name}/{self.token_id}", self.scope, self.groups, self.authority)

    def valid_at(self, now: datetime) -> bool:
        """Check whether the token is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


async def create(
    graph: Graph,
    name: str,
    *,
    groups: tuple[str, ...] | None,
    scope: Scope,
    authority: Authority = Authority.AGENT,
    days: float | None = None,
    now: datetime,
) -> tuple[Token, str]:
    """Create a token and return it with its secret, which is not stored.

    Args:
        graph: Database of the token.
        name: Name for people, 1 to 256 characters.
        groups: Groups of the token; None for all.
        scope: Scope of the token.
        authority: Authority of the texts that its callers write.
        days: Days until it expires; None for no expiry.
        now: Current time.

    Raises:
        InvalidArgumentError: An argument is outside its range.
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
        authority=str(authority),
        now=instant(now),
        expires_at=None if lasting is None else instant(now + lasting),
    )
    if token is None:
        raise TokenNotFoundError(name)
    return token, secret


async def find(graph: Graph, secret: str) -> Token | None:
    """Return the token of a secret, valid or not; None if the secret is unknown."""
    return await graph.one("auth/tokens/find", Token, sha256=_sha256(secret))


async def list_all(graph: Graph) -> list[Token]:
    """Return all tokens, the latest first."""
    return await graph.rows("auth/tokens/list", Token)


async def revoke(graph: Graph, token_id: str, *, now: datetime) -> Token:
    """Revoke a token; this cannot be undone.

    Raises:
        TokenNotFoundError: The token does not exist.
    """
    token = await graph.one("auth/tokens/revoke", Token, token_id=token_id, now=instant(now))
    if token is None:
        raise TokenNotFoundError(token_id)
    return token


async def rotate(graph: Graph, token_id: str) -> tuple[Token, str]:
    """Replace the secret of a token; the previous secret is invalid from now on.

    Raises:
        TokenNotFoundError: The token does not exist, or it is revoked.
    """
    secret = _secret()
    token = await graph.one("auth/tokens/rotate", Token, token_id=token_id, sha256=_sha256(secret))
    if token is None:
        raise TokenNotFoundError(token_id)
    return token, secret


def _secret() -> str:
    return _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def _sha256(secret: str) -> str:
    """Return the stored hash; 256 random bits do not need a slow hash."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
