"""Ten tenants on one server, a thousand calls over HTTP that try to get at another's memories.

Each tenant holds memories with a canary, a word found nowhere else, and has relations, a session,
a cursor and a maintenance run. Every attacker has a token of the widest scope, for its own group
alone, and knows the names of all that its victim has. No answer may hold what is the victim's, no
call may change it, and none may make the server fail.
"""

import asyncio
import base64
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.auth import tokens
from graph_memory.auth.grants import Scope
from tests.e2e.test_mcp_transport import JSON_HEADERS
from tests.support.mcp_client import serving

TENANTS = 10
CALLS = 1000
AT_ONCE = 4

CYPHER = "'}) MATCH (m:Memory) RETURN m //"
LUCENE = "*:* OR group_key:[0 TO 9] OR content:canary* +(-x"


@dataclass(frozen=True)
class Tenant:
    """A tenant, and the names of all it has."""

    group: str
    token: str
    canary: str
    ids: list[str]
    session_id: str
    cursor: str
    run_id: str

    @property
    def secrets(self) -> list[str]:
        """What no other may be told unless it says it first."""
        return [self.canary, self.token, self.run_id, *self.ids]


@dataclass(frozen=True)
class Attack:
    """A call, and the headers it comes with."""

    tenant: Tenant
    victim: Tenant
    method: str
    params: dict[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


async def settle(memory: GraphMemory, number: int) -> Tenant:
    group, canary = f"tenant_{secrets.token_hex(8)}", f"canary{secrets.token_hex(12)}"
    outcomes = await memory.add_many(
        [
            {
                "content": f"{canary} secret number {n}",
                "tags": [canary],
                "importance": n + 1,
                "conversation_id": "talk",
                "project_id": "project",
            }
            for n in range(5)
        ],
        group_id=group,
    )
    ids = [str(outcome.memory_id) for outcome in outcomes]
    await memory.relations.add(ids[0], ids[1], "supports", fact=canary, group_id=group)
    page = await memory.list(limit=1, group_id=group)
    given = await memory.retrieve("secret", session_id=f"session-{number}", group_id=group)
    run = await memory.maintenance.run(groups=[group])
    _, token = await tokens.create(
        memory.context.graph, group, groups=(group,), scope=Scope.ADMIN, now=memory.clock()
    )
    assert page.next_cursor
    return Tenant(group, token, canary, ids, given.session_id, page.next_cursor, run.run_id)


@pytest_asyncio.fixture
async def tenants(memory: GraphMemory, no_tokens: None) -> list[Tenant]:
    return [await settle(memory, number) for number in range(TENANTS)]


def forged(victim: Tenant) -> Iterator[str]:
    """Yield cursors that lead to the victim, or nowhere."""
    yield victim.cursor
    position = json.loads(base64.urlsafe_b64decode(victim.cursor))
    for change in (
        {"group_id": victim.group},
        {"id": CYPHER},
        {"importance": 1e308},
        {"id": victim.ids[0]},
        {"importance": "10"},
        {"sort": "created_at"},
        {"created_at": CYPHER},
    ):
        yield base64.urlsafe_b64encode(json.dumps(position | change).encode()).decode()


def by_id(victim: Tenant, memory_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every call that takes a memory's id."""
    for tool in (
        "get_memory",
        "memory_decay_status",
        "memory_preserve",
        "recover_soft_deleted",
        "touch_memory",
        "delete_memory",
        "memory_history",
        "memory_graph_analysis",
    ):
        yield tool, {"memory_id": memory_id}
    own = "the attacker's own words"
    link = {"target_id": memory_id, "relation_type": "supports"}
    yield "get_memory", {"memory_id": memory_id, "include_relations": True}
    yield "delete_memory", {"memory_id": memory_id, "permanent": True}
    yield "update_memory", {"memory_id": memory_id, "content": own}
    yield "update_memory", {"id": memory_id, "tags": ["hacked"]}
    yield "memory_traverse", {"start_memory_id": memory_id, "direction": "both"}
    yield "memory_graph_search", {"start_memory_id": memory_id}
    yield "memory_feedback", {"memory_id": memory_id, "useful": False, "query": "secret"}
    yield "mark_memory_obsolete", {"memory_id": memory_id, "reason": own}
    yield "run_decay_scan", {"memory_ids": [memory_id], "dry_run": False}
    yield "add_memory", {"content": own + secrets.token_hex(8), "relationships": [link]}
    yield "add_memory", {"content": own + secrets.token_hex(8), "parent_id": memory_id}
    yield "add_memories", {"memories": [{"content": own, "memory_id": memory_id}]}
    yield "memory_relate", {"from_id": memory_id, "to_id": victim.ids[1], "relation_type": "causes"}
    yield "memory_unrelate", {"from_id": victim.ids[0], "to_id": victim.ids[1]}


def by_group(victim: Tenant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls that name the victim's group, in every place where one can be named."""
    for name in ("group_id", "user_context"):
        theirs = {name: victim.group}
        yield "search_memory", {"query": "secret number", **theirs}
        yield "list_memories", theirs
        yield "get_all_memories", theirs
        yield "retrieve_memories", {"query": "secret", "session_id": victim.session_id, **theirs}
        yield "get_context_state", {"session_id": victim.session_id, "reset": True, **theirs}
        yield "get_memory", {"memory_id": victim.ids[0], **theirs}
        yield "memory_graph_analysis", theirs
        yield "memory_forecast", theirs
        yield "run_decay_scan", {"dry_run": False, **theirs}
        yield "run_decay_maintenance", {"full": True, **theirs}
        yield "run_decay_maintenance", {"dry_run": True, "now": "2030-01-01", **theirs}
        yield "undo_maintenance", {"run_id": victim.run_id, **theirs}
        yield "delete_all_memories", {"confirm": "DELETE ALL", "permanent": True, **theirs}
        yield "add_memory", {"content": "planted", **theirs}
        yield "add_memories", {"memories": [{"content": "planted", **theirs}]}
    yield "add_memories", {"memories": [{"content": "planted", "group_id": victim.group}]}
    yield "undo_maintenance", {"run_id": victim.run_id}
    yield "get_context_state", {"session_id": victim.session_id}
    yield "get_context_state", {"session_id": f"x|{victim.group}|{victim.session_id}"}
    yield "retrieve_memories", {"query": "secret", "session_id": victim.session_id}
    for group in ("", "*", f"{victim.group}|", f"{victim.group} ", CYPHER, None, [victim.group]):
        yield "list_memories", {"group_id": group}


def by_words(victim: Tenant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield Lucene and Cypher, wherever a text goes."""
    texts = (
        LUCENE,
        CYPHER,
        f"{victim.canary[:9]}*",
        f"+group_id:{victim.group} secret",
        "secret",
        f'") OR group_id:"{victim.group}',
        "*",
        "~",
        "\\",
        "/.*/",
        "group_key:*",
        "+(" * 50,
    )
    for text in texts:
        yield "search_memory", {"query": text, "limit": 50}
        yield "search_memory", {"query": "secret", "project_id": text, "tags": [text]}
        yield "search_memory_nodes", {"query": text}
        yield "search_by_tags", {"tags": [text]}
        yield "retrieve_memories", {"query": text, "session_id": text}
        yield "get_memory", {"memory_id": text}
        yield "memory_traverse", {"start_memory_id": text, "relation_types": [text]}
        yield "list_memories", {"memory_type": text, "states": [text]}
        yield "add_memory", {"content": f"{text} {secrets.token_hex(8)}", "conversation_id": text}
        yield "run_decay_maintenance", {"stages": [text]}
        yield "undo_maintenance", {"run_id": text}
        yield "memory_forecast", {"policy": text}


def attacks(tenant: Tenant, victim: Tenant) -> Iterator[Attack]:
    for memory_id in (victim.ids[0], victim.ids[2]):
        for tool, arguments in by_id(victim, memory_id):
            yield Attack(tenant, victim, "tools/call", {"name": tool, "arguments": arguments})
    for tool, arguments in (*by_group(victim), *by_words(victim)):
        yield Attack(tenant, victim, "tools/call", {"name": tool, "arguments": arguments})
    for cursor in forged(victim):
        for tool in ("list_memories", "get_all_memories"):
            call = {"name": tool, "arguments": {"cursor": cursor}}
            yield Attack(tenant, victim, "tools/call", call)
    for uri in (
        f"memory://{victim.group}/{victim.ids[0]}",
        f"memory://{tenant.group}/{victim.ids[0]}",
        f"memory://{tenant.group}/../{victim.group}/{victim.ids[0]}",
        "memory://*/*",
        f"memory://{tenant.group}%2F..%2F{victim.group}/{victim.ids[0]}",
        f"memory://{CYPHER}/x",
    ):
        yield Attack(tenant, victim, "resources/read", {"uri": uri})
    look = {"name": "list_memories", "arguments": {}}
    for headers in (
        (("Mcp-Session-Id", victim.session_id),),
        (("X-Group-Id", victim.group),),
        (("X-User-Context", victim.group), ("X-Forwarded-User", victim.group)),
        (("Authorization", f"Basic {victim.group}"),),
        (("X-Token", victim.token[:-1]),),
        (("Mcp-Name", "delete_all_memories"), ("Mcp-Method", "tools/list")),
        (("X-Original-Url", f"/mcp?group_id={victim.group}"),),
        (("Cookie", victim.token[:-1]),),
    ):
        yield Attack(tenant, victim, "tools/call", look, headers)
        context = {"name": "get_context_state", "arguments": {}}
        yield Attack(tenant, victim, "tools/call", context, headers)


def chosen(tenants: list[Tenant]) -> list[Attack]:
    """Return a thousand attacks: all kinds, every tenant as attacker and as victim."""
    each = CALLS // TENANTS
    found: list[Attack] = []
    for number, tenant in enumerate(tenants):
        victims = tenants[number + 1 :] + tenants[:number]
        possible = list(attacks(tenant, victims[number % len(victims)]))
        # Each tenant begins elsewhere, so that together they try everything.
        begin = number * each % len(possible)
        found += (possible * 2)[begin : begin + each]
    return found


async def snapshot(driver: AsyncDriver, tenants: list[Tenant]) -> list[dict[str, Any]]:
    """Return all that the memories of the tenants are, in the database's own words."""
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory) WHERE m.uuid IN $ids "
        "RETURN m {.*} AS m, [(m)-[r]-(o) | [type(r), r {.*}, o.uuid]] AS edges ORDER BY m.uuid",
        ids=[memory_id for tenant in tenants for memory_id in tenant.ids],
    )
    return [
        {
            "labels": sorted(map(str, r["edges"])),
            **{k: v for k, v in r["m"].items() if k not in OWN_DOING},
        }
        for r in records
    ]


#: What changes when a tenant's own search finds its own memory.
OWN_DOING = ("access_count", "last_accessed_at", "next_due_at", "last_decay_update", "decay_score")


async def test_a_thousand_attacks_get_nothing_change_nothing_break_nothing(
    memory: GraphMemory,
    driver: AsyncDriver,
    tenants: list[Tenant],
    caplog: pytest.LogCaptureFixture,
):
    everything = memory.settings.model_copy(
        update={"toolsets": ("core", "graph", "lifecycle", "admin", "compat")}
    )
    service = GraphMemory.over(
        memory.context.graph, memory.context.embedder, everything, clock=memory.clock
    )
    planned = chosen(tenants)
    assert len(planned) == CALLS
    before = await snapshot(driver, tenants)
    answers: list[tuple[Attack, httpx.Response]] = []
    async with (
        serving(service, require_tokens=True) as url,
        httpx.AsyncClient(base_url=url, headers=JSON_HEADERS, timeout=120) as http,
    ):
        turn = asyncio.Semaphore(AT_ONCE)

        async def attempt(attack: Attack) -> None:
            bearer = ("Authorization", f"Bearer {attack.tenant.token}")
            said = {"jsonrpc": "2.0", "id": 1, "method": attack.method, "params": attack.params}
            async with turn:
                answer = await http.post(
                    "/mcp", json=said, headers=[*JSON_HEADERS.items(), bearer, *attack.headers]
                )
            answers.append((attack, answer))

        await asyncio.gather(*map(attempt, planned))
        assert (await http.get("/readyz")).status_code == 200
    await service.context.accesses.flush()

    assert [faults for attack, answer in answers if (faults := broken(attack, answer))] == []
    assert [leaks for attack, answer in answers if (leaks := leaked(attack, answer))] == []
    assert await snapshot(driver, tenants) == before
    assert "Traceback" not in caplog.text
    planted, _, _ = await driver.execute_query(
        "MATCH (m:Memory {content: 'planted'}) WHERE m.group_id IN $groups RETURN count(m) AS n",
        groups=[tenant.group for tenant in tenants],
    )
    assert planted[0]["n"] == 0


def broken(attack: Attack, answer: httpx.Response) -> str | None:
    """Say how the server failed, if it did."""
    if answer.status_code >= 500 or '"code":"failed"' in answer.text:
        return f"{attack.method} {attack.params} {attack.headers}: {answer.text[:500]}"
    return None


def leaked(attack: Attack, answer: httpx.Response) -> str | None:
    """Say what an answer holds that is the victim's, and that the attacker did not say itself."""
    said = json.dumps([attack.params, attack.headers])
    told = [secret for secret in attack.victim.secrets if secret in answer.text]
    if unsaid := [secret for secret in told if secret not in said]:
        return f"{attack.method} {attack.params}: {unsaid} in {answer.text[:500]}"
    return None
