"""Verification of JSON Web Tokens (JWT) by the published keys (JWKS) of an identity provider."""

import asyncio
import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import jwt

from graph_memory.auth.grants import Grant, Scope
from graph_memory.domain.models import GROUP_ID_PATTERN
from graph_memory.domain.origin import Authority
from graph_memory.settings.base import Settings

#: Asymmetric algorithms only: 'none' and shared secrets are not accepted.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
_REQUIRED = ("exp", "iss", "aud", "sub")
_FETCH_SECONDS = 5
_LEEWAY_SECONDS = 30  # the clocks of the provider and of this machine may differ
_PAUSE_SECONDS = 10  # after a failed fetch
_SCOPE_PREFIX = "memory:"

_log = logging.getLogger(__name__)


class _Keys(jwt.PyJWKClient):
    """The keys of the provider; cached keys stay in use while a fetch fails.

    Any caller can name an unknown key and so cause a fetch. Therefore a failed fetch is not
    repeated for 10 s: a provider that does not answer must not delay every call.
    """

    _next_fetch_at = -math.inf

    def fetch_data(self) -> Any:
        """Fetch the keys.

        Raises:
            PyJWKClientConnectionError: The fetch failed now, or less than 10 s ago.
        """
        if time.monotonic() < self._next_fetch_at:
            raise jwt.PyJWKClientConnectionError("the last fetch failed less than 10 s ago")
        try:
            return super().fetch_data()
        except Exception:
            self._next_fetch_at = time.monotonic() + _PAUSE_SECONDS
            raise


class JwtVerifier:
    """A verifier of signature, issuer, audience and expiry that returns the grant of a token.

    The scope is the highest of `memory:read`, `memory:write` and `memory:admin` in the claim
    `scope`. The groups are in the claim that `jwt_groups_claim` names.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._keys = _Keys(settings.jwt_jwks_url or "", timeout=_FETCH_SECONDS)
        # A thread of its own: a fetch of keys must not block other work.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jwks")

    async def verify(self, token: str) -> tuple[Grant, float] | None:
        """Return the grant of a token and its expiry in seconds since 1970; None if it is invalid.

        The times in a token may differ from the clock of this machine by 30 s either way.
        An unknown key causes a fetch, at most every 30 s, and every 10 s after a failure.
        """
        try:
            loop = asyncio.get_running_loop()
            key = await loop.run_in_executor(
                self._thread, self._keys.get_signing_key_from_jwt, token
            )
            claims = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                issuer=self._settings.jwt_issuer,
                audience=self._settings.jwt_audience,
                leeway=_LEEWAY_SECONDS,
                options={"require": list(_REQUIRED)},
            )
        except (jwt.PyJWKClientConnectionError, OSError, ValueError) as error:
            # ValueError: the answer is truncated or not JSON, for example the page of a proxy.
            _log.warning("The keys that verify tokens cannot be fetched: %s", error)
            return None
        except jwt.PyJWTError as error:
            _log.info("A token was refused: %s", error)
            return None
        grant = self._grant(claims)
        return (grant, float(claims["exp"]) + _LEEWAY_SECONDS) if grant else None

    def _grant(self, claims: dict[str, Any]) -> Grant | None:
        words = _words(claims.get("scope"))
        scopes = [scope for scope in Scope if _SCOPE_PREFIX + scope in words]
        named = _words(claims.get(self._settings.jwt_groups_claim))
        groups = tuple(group for group in named if GROUP_ID_PATTERN.fullmatch(group))
        if not scopes or not groups:
            _log.info(
                "A token of %r was refused: it does not name a scope and a group", claims["sub"]
            )
            return None
        return Grant(str(claims["sub"]), scopes[-1], groups, Authority.AGENT)


def _words(claim: object) -> list[str]:
    """Return the words of a claim: the items of a list, or a text split at spaces."""
    if isinstance(claim, str):
        return claim.split()
    items = cast(list[object], claim) if isinstance(claim, list) else []
    return [item for item in items if isinstance(item, str)]
