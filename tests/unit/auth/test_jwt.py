"""JWTs that an attacker or a provider with another clock sends."""

import base64
import functools
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from graph_memory import read_settings
from graph_memory.auth.jwt import JwtVerifier

_ISSUER, _AUDIENCE = "https://idp.example", "graph-memory"


@functools.cache
def private_key(name: str) -> RSAPrivateKey:
    return generate_private_key(public_exponent=65_537, key_size=2048)


@dataclass
class Provider:
    """An identity provider on a port of this machine, and the requests that it got."""

    address: str
    keys: dict[str, RSAPrivateKey] = field(default_factory=dict[str, RSAPrivateKey])
    requests: int = 0

    def published(self) -> bytes:
        described = [
            json.loads(RSAAlgorithm.to_jwk(key.public_key())) | {"kid": name, "use": "sig"}
            for name, key in self.keys.items()
        ]
        return json.dumps({"keys": described}).encode()


@pytest.fixture
def providers() -> Iterator[Callable[[], Provider]]:
    servers: list[ThreadingHTTPServer] = []

    def start() -> Provider:
        class Keys(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.requests += 1
                self.send_response(200)
                self.end_headers()
                self.wfile.write(provider.published())

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
        provider = Provider(
            f"http://127.0.0.1:{server.server_port}/keys", {"one": private_key("one")}
        )
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return provider

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def verifier_of(provider: Provider) -> JwtVerifier:
    return JwtVerifier(
        read_settings(jwt_jwks_url=provider.address, jwt_issuer=_ISSUER, jwt_audience=_AUDIENCE)
    )


def seconds(count: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=count)


def claims(**changed: Any) -> dict[str, Any]:
    usual = {"iss": _ISSUER, "aud": _AUDIENCE, "sub": "ada", "scope": "memory:write"}
    return {**usual, "groups": ["g"], "exp": int(seconds(3600).timestamp()), **changed}


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def forged(header: dict[str, Any] | bytes, secret: bytes = b"", **changed: Any) -> str:
    """Put a token together without the library, which refuses to make such ones."""
    first = header if isinstance(header, bytes) else json.dumps(header).encode()
    signed = f"{encoded(first)}.{encoded(json.dumps(claims(**changed)).encode())}"
    digest = hmac.new(secret, signed.encode(), hashlib.sha256).digest() if secret else b""
    return f"{signed}.{encoded(digest)}"


async def test_a_public_key_cannot_serve_as_a_shared_secret(
    providers: Callable[[], Provider],
) -> None:
    provider = providers()
    public = provider.keys["one"].public_key()
    secrets = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        RSAAlgorithm.to_jwk(public).encode(),
    ]
    verifier = verifier_of(provider)
    for secret in secrets:
        assert await verifier.verify(forged({"alg": "HS256", "kid": "one"}, secret)) is None


@pytest.mark.parametrize("name", ["none", "None", "NONE", "", "HS256", "RS1", None, 5, ["RS256"]])
async def test_an_unsigned_token_is_refused(
    providers: Callable[[], Provider], name: object
) -> None:
    assert await verifier_of(providers()).verify(forged({"alg": name, "kid": "one"})) is None


async def test_a_token_does_not_bring_its_own_key(providers: Callable[[], Provider]) -> None:
    provider, attacker = providers(), providers()
    own = private_key("attacker")
    header = {
        "kid": "one",
        "jku": attacker.address,
        "x5u": attacker.address,
        "jwk": json.loads(RSAAlgorithm.to_jwk(own.public_key())),
    }
    token = jwt.encode(claims(), own, "RS256", header)
    assert await verifier_of(provider).verify(token) is None
    assert attacker.requests == 0


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 5000,
        b'{"alg": "RS256", "kid": ' + b"[" * 4000 + b"]" * 4000 + b"}",
        b"null",
        b'{"alg": "RS256", "kid": 1}',
        b'{"alg": "RS256", "kid": "../../etc/passwd"}',
        b'{"alg": "RS256", "kid": "one", "crit": ["exp"]}',
        b"\xff\xfe",
        b"",
    ],
    ids=["brackets", "deep", "null", "number", "path", "critical", "bytes", "empty"],
)
async def test_a_strange_header_is_refused(
    providers: Callable[[], Provider], header: bytes
) -> None:
    assert await verifier_of(providers()).verify(forged(header)) is None


@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        ({"exp": -20}, True),
        ({"exp": -40}, False),
        ({"nbf": 20}, True),
        ({"nbf": 60}, False),
        ({"iat": 20}, True),
        ({"iat": 60}, False),
    ],
)
async def test_the_clocks_may_differ_by_half_a_minute(
    providers: Callable[[], Provider], changed: dict[str, int], taken: bool
) -> None:
    provider = providers()
    times = {name: seconds(count) for name, count in changed.items()}
    token = jwt.encode(claims(**times), provider.keys["one"], "RS256", {"kid": "one"})
    found = await verifier_of(provider).verify(token)
    assert (found is not None) == taken
    if found:
        assert found[1] > seconds(0).timestamp()  # remembered until then


async def test_a_new_key_is_fetched_half_a_minute_after_the_last(
    providers: Callable[[], Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = providers()
    verifier = verifier_of(provider)
    before = jwt.encode(claims(), provider.keys["one"], "RS256", {"kid": "one"})
    assert await verifier.verify(before)
    provider.keys = {"two": private_key("two")}
    after = jwt.encode(claims(), provider.keys["two"], "RS256", {"kid": "two"})
    assert await verifier.verify(after) is None  # unknown keys do not make it fetch at each call
    assert provider.requests == 1
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 31)
    monkeypatch.setattr("jwt.jwks_client.time", later)
    assert await verifier.verify(after)
    assert await verifier.verify(before) is None


@pytest.mark.parametrize(("audience", "taken"), [([_AUDIENCE, "b"], True), (["b"], False)])
async def test_one_of_several_audiences_is_enough(
    providers: Callable[[], Provider], audience: list[str], taken: bool
) -> None:
    provider = providers()
    token = jwt.encode(claims(aud=audience), provider.keys["one"], "RS256", {"kid": "one"})
    assert (await verifier_of(provider).verify(token) is not None) == taken
