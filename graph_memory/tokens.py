"""Bearer tokens: who may call, in which groups, to do what.

A token is shown once, when it is made; the database keeps its SHA-256. Instants here go by the wall
clock of whoever asks.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from graph_memory.arguments import GroupId, Line, checked_value
from graph_memory.errors import ForbiddenError, InvalidArgumentError, TokenNotFoundError
from graph_memory.graph import Graph
from graph_memory.memories import Instant, instant

_PREFIX = "gm_"  # lets scanners for leaked secrets find it
_SECRET_BYTES = 32
_ID_BYTES = 6

Groups = Annotated[tuple[GroupId, ...], Field(min_length=1, max_length=1000)]
Days = Annotated[float, Field(gt=0, le=36_500)]


class Scope(StrEnum):
    """What a caller may do; each includes those before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: "Scope") -> bool:
        """Tell whether whoever has this scope has the other."""
        ranks = list(Scope)
        return ranks.index(self) >= ranks.index(other)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a caller may do, and in which groups."""

    caller: str
    scope: Scope
    groups: tuple[str, ...] | None  #: None: all

    def require(self, scope: Scope) -> None:
        """Refuse a caller who does not have a scope.

        Raises:
            ForbiddenError: It says which scope is needed.
        """
        if not self.scope.includes(scope):
            raise ForbiddenError(f"it needs scope '{scope}', and this token has '{self.scope}'")

    def require_every_group(self, what: str) -> None:
        """Refuse what would tell a caller about other tenants.

        Raises:
            ForbiddenError: The caller is for some groups only.
        """
        if self.groups is not None:
            raise ForbiddenError(f"{what} needs a token for all groups")

    def group(self, given: str | None, default: str) -> str:
        """Return the group to use: the given one, the default, or the only one there is.

        Raises:
            ForbiddenError: The group is not among the caller's.
            InvalidArgumentError: None is given, and the caller has several.
        """
        if self.groups is None:
            return given or default
        names = ", ".join(self.groups)
        if given is None and default not in self.groups:
            if len(self.groups) != 1:
                raise InvalidArgumentError("group_id", None, f"name one of {names}")
            return next(iter(self.groups))
        if (group := given or default) not in self.groups:
            raise ForbiddenError(f"group '{group}' is not open to this token, which is for {names}")
        return group


#: Whoever may reach the database, or this process, anyway.
EVERYTHING = Grant("local", Scope.ADMIN, None)


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
    groups = None if groups is None else checked_value(Groups, groups, "groups")
    lasting = None if days is None else timedelta(days=checked_value(Days, days, "days"))
    secret = _secret()
    token = await graph.one(
        "tokens/create",
        Token,
        token_id=secrets.token_hex(_ID_BYTES),
        sha256=_sha256(secret),
        name=checked_value(Line, name, "name"),
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
    return await graph.one("tokens/find", Token, sha256=_sha256(secret))


async def listed(graph: Graph) -> list[Token]:
    """List all tokens, the latest first."""
    return await graph.rows("tokens/list", Token)


async def revoke(graph: Graph, token_id: str, *, now: datetime) -> Token:
    """Make a token invalid, for good.

    Raises:
        TokenNotFoundError: There is no such token.
    """
    token = await graph.one("tokens/revoke", Token, token_id=token_id, now=instant(now))
    if token is None:
        raise TokenNotFoundError(token_id)
    return token


async def rotate(graph: Graph, token_id: str) -> tuple[Token, str]:
    """Give a token another secret; the one before is invalid from now on.

    Raises:
        TokenNotFoundError: There is no such token, or it is revoked.
    """
    secret = _secret()
    token = await graph.one("tokens/rotate", Token, token_id=token_id, sha256=_sha256(secret))
    if token is None:
        raise TokenNotFoundError(token_id)
    return token, secret


def _secret() -> str:
    return _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def _sha256(secret: str) -> str:
    """Return what is stored; a secret of 256 random bits needs no slower hash."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
