"""JSON Web Tokens of an identity provider, checked by the keys it publishes."""

import asyncio
import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import jwt

from graph_memory.auth.grants import Grant, Scope
from graph_memory.domain.models import GROUP_ID_PATTERN
from graph_memory.settings.base import Settings

#: Only what is signed with a private key; 'none' and shared secrets are not among them.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
_REQUIRED = ("exp", "iss", "aud", "sub")
_FETCH_SECONDS = 5
_PAUSE_SECONDS = 10  # after a fetch that failed
_SCOPE_PREFIX = "memory:"

_log = logging.getLogger(__name__)


class _Keys(jwt.PyJWKClient):
    """The provider's keys; while they cannot be fetched, those known go on to serve.

    Anyone can name a key that is not known, and so make us ask: a provider that is silent must not
    keep us waiting each time.
    """

    _again_at = -math.inf

    def fetch_data(self) -> Any:
        """Fetch them, unless that failed a moment ago."""
        if time.monotonic() < self._again_at:
            raise jwt.PyJWKClientConnectionError("it failed a moment ago, and is tried again soon")
        try:
            return super().fetch_data()
        except Exception:
            self._again_at = time.monotonic() + _PAUSE_SECONDS
            raise


class JwtVerifier:
    """Checks signature, issuer, audience and expiry of a token, and reads what it grants.

    The scope is the highest of `memory:read`, `memory:write` and `memory:admin` in the claim
    `scope`; the groups are those of the claim that `jwt_groups_claim` names.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._keys = _Keys(settings.jwt_jwks_url or "", timeout=_FETCH_SECONDS)
        # A thread of their own, so that whoever waits for keys keeps no other work waiting.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jwks")

    async def verify(self, token: str) -> tuple[Grant, float] | None:
        """Return what a token grants, and when it expires in seconds since 1970; None if it is bad.

        Keys are fetched where they are not known yet, at most every 30 s; every 10 s if that fails.
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
                options={"require": list(_REQUIRED)},
            )
        except (jwt.PyJWKClientConnectionError, OSError, ValueError) as error:
            # An answer that breaks off, or is no JSON, as a proxy's page, is none.
            _log.warning("The keys to check tokens with cannot be fetched: %s", error)
            return None
        except jwt.PyJWTError as error:
            _log.info("A token was refused: %s", error)
            return None
        grant = self._grant(claims)
        return (grant, float(claims["exp"])) if grant else None

    def _grant(self, claims: dict[str, Any]) -> Grant | None:
        words = _words(claims.get("scope"))
        scopes = [scope for scope in Scope if _SCOPE_PREFIX + scope in words]
        named = _words(claims.get(self._settings.jwt_groups_claim))
        groups = tuple(group for group in named if GROUP_ID_PATTERN.fullmatch(group))
        if not scopes or not groups:
            _log.info("A token of %r was refused: it names no scope or no group", claims["sub"])
            return None
        return Grant(str(claims["sub"]), scopes[-1], groups)


def _words(claim: object) -> list[str]:
    """Return a claim's words: a list, or a text with spaces between."""
    if isinstance(claim, str):
        return claim.split()
    items = cast(list[object], claim) if isinstance(claim, list) else []
    return [item for item in items if isinstance(item, str)]
