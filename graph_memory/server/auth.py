"""Authentication: a check of bearer tokens and JWTs at each request, through the SDK."""

import time

from cachetools import TLRUCache
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import ConfigDict

from graph_memory.api.types import EVERYTHING, Grant
from graph_memory.auth.jwt import JwtVerifier
from graph_memory.errors import GraphMemoryError, GraphOverloadedError, GraphUnavailableError
from graph_memory.server.opening import Opening
from graph_memory.settings.base import Settings

#: The SDK requires an issuer even for our own tokens, which need no metadata.
_NO_ISSUER = "http://127.0.0.1"

_MOST_REMEMBERED = 10_000
_LONGEST_TOKEN = 16_384

#: The grant of a token, and its expiry in seconds since 1970.
Found = tuple[Grant, float]

#: Seconds for which a checked token is accepted while the database with the tokens does not answer.
_OUTAGE_SECONDS = 600.0


class Caller(AccessToken):
    """A verified token with its grant, or with the error that prevented the check."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    grant: Grant | None = None
    error: GraphMemoryError | None = None


class Verifier:
    """A check of tokens, whose results stay valid for `token_cache_seconds`.

    While the database with the tokens does not answer, they stay valid for `_OUTAGE_SECONDS`, so
    that calls for groups on other servers go on.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        settings = opening.settings
        self._jwt = JwtVerifier(settings) if settings.jwt_jwks_url else None
        self._seen = _cache(settings.token_cache_seconds)
        self._seen_before = _cache(_OUTAGE_SECONDS)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the caller of a token, or None for an unknown token."""
        if len(token) > _LONGEST_TOKEN:
            return None
        if seen := self._seen.get(token):
            return _caller(token, seen[0])
        try:
            found = await self._found(token)
        except GraphMemoryError as error:
            found = self._in_outage(token, error)
            if found is None:  # each call reports this error
                return Caller(token=token, client_id="unknown", scopes=[], error=error)
        else:
            if found is None:
                self._seen_before.pop(token, None)
                return None
            self._seen_before[token] = found
        self._seen[token] = found
        return _caller(token, found[0])

    def _in_outage(self, token: str, error: GraphMemoryError) -> Found | None:
        """Return what was found of a token before the database was lost."""
        lost = isinstance(error, GraphUnavailableError)
        overloaded = isinstance(error, GraphOverloadedError)
        return self._seen_before.get(token) if lost and not overloaded else None

    async def _found(self, token: str) -> Found | None:
        """Return the grant and the expiry of a token. A JWT has two dots; our tokens have none."""
        if self._jwt and token.count(".") == 2:
            return await self._jwt.verify(token)
        memory = await self._opening.memory()
        found = await memory.tokens.verify(token)
        return (found.grant, found.expires_at) if found else None


def _cache(seconds: float) -> TLRUCache[str, Found]:
    """Return a cache that forgets a token after `seconds`, or when it expires."""
    return TLRUCache(
        _MOST_REMEMBERED, lambda _, found, now: min(now + seconds, found[1]), time.time
    )


def caller() -> Grant:
    """Return the grant of the current request; `EVERYTHING` if no token is required.

    Raises:
        GraphUnavailableError: The database does not answer, so the token was not checked.
    """
    token = get_access_token()
    if token is None:
        return EVERYTHING
    if isinstance(token, Caller) and token.grant:
        return token.grant
    unread = token.error if isinstance(token, Caller) else None
    raise unread or GraphMemoryError("The token was not read.")


def auth_settings(settings: Settings) -> AuthSettings:
    """Return the settings of the SDK for authentication and its published metadata."""
    published = settings.resource_url if settings.jwt_issuer else None
    # As text, because clients compare issuers letter by letter.
    return AuthSettings.model_validate(
        {
            "issuer_url": settings.jwt_issuer if published else _NO_ISSUER,
            "resource_server_url": published,
            "validate_token_resource": False,  # `JwtVerifier` checks the audience
        }
    )


def _caller(token: str, grant: Grant) -> Caller:
    return Caller(token=token, client_id=grant.caller, scopes=[grant.scope], grant=grant)
