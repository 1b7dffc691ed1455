"""Tokens: who may call the service over HTTP, in which groups, and how often."""

from dataclasses import dataclass
from typing import Literal

from graph_memory.auth import rate_limit, tokens
from graph_memory.auth.grants import Grant, Scope
from graph_memory.auth.tokens import Token
from graph_memory.context import Context
from graph_memory.domain.inputs import validate

ScopeArgument = Scope | Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """The grant of a valid token, and when it ends."""

    grant: Grant
    expires_at: float  #: seconds since 1970; infinite without an expiry


class TokensApi:
    """The access tokens of a `GraphMemory`: `memory.tokens`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def create(
        self,
        name: str,
        *,
        groups: tuple[str, ...] | None,
        scope: ScopeArgument = Scope.WRITE,
        days: float | None = None,
    ) -> tuple[Token, str]:
        """Make a token, and return it with its secret, which is stored nowhere.

        Args:
            name: The name that the audit log gives the caller.
            groups: The tenants it opens; None opens all.
            scope: The calls it allows.
            days: The days it is valid; None is without end.
        """
        return await tokens.create(
            self._context.graph,
            name,
            groups=groups,
            scope=validate(Scope, scope, "scope"),
            days=days,
            now=self._context.clock(),
        )

    async def verify(self, secret: str) -> VerifiedToken | None:
        """Return the grant of a secret, or None if it belongs to no valid token."""
        found = await tokens.find(self._context.graph, secret)
        if found is None or not found.valid_at(self._context.clock()):
            return None
        expires_at = found.expires_at.timestamp() if found.expires_at else float("inf")
        return VerifiedToken(found.grant, expires_at)

    async def revoke(self, token_id: str) -> Token:
        """Make a token invalid without a way back.

        Raises:
            TokenNotFoundError: There is no such token.
        """
        return await tokens.revoke(self._context.graph, token_id, now=self._context.clock())

    async def rotate(self, token_id: str) -> tuple[Token, str]:
        """Give a token another secret and return both; the one before is invalid.

        Raises:
            TokenNotFoundError: There is no such token, or it is revoked.
        """
        return await tokens.rotate(self._context.graph, token_id)

    async def any_valid(self) -> bool:
        """Return true if some token is valid now."""
        now = self._context.clock()
        return any(token.valid_at(now) for token in await tokens.list_all(self._context.graph))

    async def count_call(self, grant: Grant, *, walks: bool = False) -> None:
        """Count a call of a caller against the limits of the settings.

        Args:
            grant: The caller's.
            walks: The call is a walk, which has a limit of its own besides.

        Raises:
            RateLimitedError: There were too many calls in this minute.
        """
        settings, graph, now = self._context.settings, self._context.graph, self._context.clock()
        limit = settings.rate_limit_per_minute
        await rate_limit.count(graph, grant.caller, limit=limit, now=now)
        if walks:
            limit = settings.traversal_rate_limit_per_minute
            await rate_limit.count(graph, f"{grant.caller}|walks", limit=limit, now=now)

    async def list(self) -> list[Token]:
        """List all tokens without their secrets, the latest first."""
        return await tokens.list_all(self._context.graph)
