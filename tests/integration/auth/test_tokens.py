"""Tokens and rates in the database: what is stored, what is valid, what is counted."""

import asyncio
import hashlib

import pytest
from neo4j import AsyncDriver

from graph_memory import Authority, GraphMemory
from graph_memory.auth import rate_limit, tokens
from graph_memory.auth.grants import EVERYTHING, Grant, Scope
from graph_memory.database.graph import Graph
from graph_memory.errors import (
    ForbiddenError,
    InvalidArgumentError,
    RateLimitedError,
    TokenNotFoundError,
)
from tests.conftest import TODAY, Clock

pytestmark = pytest.mark.usefixtures("no_tokens")


async def test_the_database_knows_only_the_hash_of_a_token(graph: Graph, driver: AsyncDriver):
    token, secret = await tokens.create(graph, "ci", groups=("a",), scope=Scope.READ, now=TODAY)
    records, _, _ = await driver.execute_query("MATCH (t:AccessToken) RETURN t")
    (stored,) = [dict(record["t"]) for record in records]
    assert stored["sha256"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(stored)
    assert await tokens.find(graph, secret) == token
    assert token.grant == Grant(f"ci/{token.token_id}", Scope.READ, ("a",), Authority.AGENT)


async def test_a_token_ends_when_it_is_revoked_or_its_days_are_over(graph: Graph, clock: Clock):
    brief, secret = await tokens.create(
        graph, "brief", groups=None, scope=Scope.ADMIN, days=1, now=clock()
    )
    lasting, _ = await tokens.create(graph, "lasting", groups=("a",), scope=Scope.READ, now=clock())
    assert brief.valid_at(clock())
    clock.advance(hours=24)
    found = await tokens.find(graph, secret)
    assert found is not None
    assert not found.valid_at(clock())
    revoked = await tokens.revoke(graph, lasting.token_id, now=clock())
    clock.advance(hours=1)
    again = await tokens.revoke(graph, lasting.token_id, now=clock())
    assert revoked.revoked_at == again.revoked_at == TODAY.replace(day=2)
    assert not again.valid_at(clock())
    assert {token.token_id for token in await tokens.list_all(graph)} == {
        brief.token_id,
        lasting.token_id,
    }


async def test_a_rotated_token_keeps_its_grant_and_loses_its_secret(graph: Graph):
    token, old = await tokens.create(graph, "ci", groups=("a",), scope=Scope.WRITE, now=TODAY)
    rotated, new = await tokens.rotate(graph, token.token_id)
    assert rotated == token
    assert await tokens.find(graph, old) is None
    assert await tokens.find(graph, new) == token
    await tokens.revoke(graph, token.token_id, now=TODAY)
    for refuse in (tokens.rotate(graph, token.token_id), tokens.rotate(graph, "nobody")):
        with pytest.raises(TokenNotFoundError, match=r"tokens\.list` lists them"):
            await refuse
    with pytest.raises(TokenNotFoundError):
        await tokens.revoke(graph, "nobody", now=TODAY)


@pytest.mark.parametrize(
    ("argument", "value"), [("groups", ()), ("groups", ("a-b",)), ("days", 0), ("days", 1e9)]
)
async def test_what_a_token_cannot_be_is_said(graph: Graph, argument: str, value: object):
    asked = {"groups": ("a",), "scope": Scope.READ, "now": TODAY} | {argument: value}
    with pytest.raises(InvalidArgumentError, match=argument):
        await tokens.create(graph, "ci", **asked)  # type: ignore[arg-type]


def test_a_scope_includes_those_before_it():
    assert [[a.includes(b) for b in Scope] for a in Scope] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


@pytest.mark.parametrize(
    ("groups", "given", "default", "used"),
    [
        (None, None, "d", "d"),
        (None, "x", "d", "x"),
        (("a",), None, "d", "a"),
        (("a", "d"), None, "d", "d"),
        (("a", "b"), "b", "d", "b"),
    ],
)
def test_the_group_that_is_used(
    groups: tuple[str, ...] | None, given: str | None, default: str, used: str
):
    assert Grant("c", Scope.READ, groups).group(given, default) == used


def test_a_group_of_others_is_refused_as_one_that_there_is_not():
    grant = Grant("c", Scope.READ, ("a", "b"))
    with pytest.raises(ForbiddenError, match="'x' is not open"):
        grant.group("x", "a")
    with pytest.raises(InvalidArgumentError, match="name one of a, b"):
        grant.group(None, "x")
    EVERYTHING.require(Scope.ADMIN)
    with pytest.raises(ForbiddenError, match="needs scope 'write'"):
        grant.require(Scope.WRITE)


async def test_a_tenant_learns_nothing_of_ids_that_others_have(memory: GraphMemory, group: str):
    theirs = await memory.add("theirs", group_id=f"{group}_other")
    bound = memory.acting_for(Grant("c", Scope.WRITE, (group,)))
    outcomes = await bound.add_many(
        [
            {"content": "one", "memory_id": theirs.memory_id},
            {"content": "two", "memory_id": "00000000-0000-4000-8000-000000000000"},
            {"content": "three", "group_id": f"{group}_other"},
            {"content": "four"},
        ]
    )
    assert [type(outcome.error) for outcome in outcomes] == [
        ForbiddenError,
        ForbiddenError,
        ForbiddenError,
        type(None),
    ]
    assert str(outcomes[0].error) == str(outcomes[1].error)


async def test_calls_are_counted_by_the_minute_and_together(graph: Graph, group: str):
    calls = (
        rate_limit.count(graph, group, limit=10, now=TODAY.replace(second=50)) for _ in range(30)
    )
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, RateLimitedError)]
    assert len(refused) == 20
    assert refused[0].seconds == 10
    await rate_limit.count(graph, group, limit=10, now=TODAY.replace(minute=1))
    await rate_limit.count(graph, f"{group}|walks", limit=1, now=TODAY)
    await rate_limit.count(graph, group, limit=None, now=TODAY)
