"""Tokens: access to the service over HTTP, by scope, group and number of calls."""

from dataclasses import dataclass
from typing import Literal

from graph_memory.api.arguments import AuthorityArgument
from graph_memory.auth import rate_limit, tokens
from graph_memory.auth.grants import Grant, Scope
from graph_memory.auth.tokens import Token
from graph_memory.context import Context
from graph_memory.domain.inputs import validate
from graph_memory.domain.origin import Authority

ScopeArgument = Scope | Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """The grant of a valid token, with its expiry."""

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
        authority: AuthorityArgument = Authority.AGENT,
        days: float | None = None,
    ) -> tuple[Token, str]:
        """Create a token, and return it with its secret; only a hash of the secret is stored.

        Args:
            name: Name of the caller in the audit log.
            groups: Tenants of the token; None for all.
            scope: Access scope; `admin` includes `write`, and `write` includes `read`.
            authority: Authority of the texts that its callers write; `person` for a token that
                people alone use.
            days: Number of days until the token expires; None for no expiry.
        """
        return await tokens.create(
            self._context.graph,
            name,
            groups=groups,
            scope=validate(Scope, scope, "scope"),
            authority=validate(Authority, authority, "authority"),
            days=days,
            now=self._context.clock(),
        )

    async def verify(self, secret: str) -> VerifiedToken | None:
        """Return the grant of a secret, or None without a valid token of this secret."""
        found = await tokens.find(self._context.graph, secret)
        if found is None or not found.valid_at(self._context.clock()):
            return None
        expires_at = found.expires_at.timestamp() if found.expires_at else float("inf")
        return VerifiedToken(found.grant, expires_at)

    async def revoke(self, token_id: str) -> Token:
        """Revoke a token permanently, and return it.

        Raises:
            TokenNotFoundError: The token does not exist.
        """
        return await tokens.revoke(self._context.graph, token_id, now=self._context.clock())

    async def rotate(self, token_id: str) -> tuple[Token, str]:
        """Replace the secret of a token, and return the token with the new secret.

        Raises:
            TokenNotFoundError: The token does not exist, or it is revoked.
        """
        return await tokens.rotate(self._context.graph, token_id)

    async def any_valid(self) -> bool:
        """Return True if at least one token is valid now."""
        now = self._context.clock()
        return any(token.valid_at(now) for token in await tokens.list_all(self._context.graph))

    async def count_call(self, grant: Grant, *, walks: bool = False) -> None:
        """Count a call against the rate limits of the settings.

        Args:
            grant: Grant of the caller.
            walks: True for a traversal, which has a second limit of its own.

        Raises:
            RateLimitedError: The caller has made too many calls in this minute.
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
