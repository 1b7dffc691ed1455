"""Writes that wait for a review are found nowhere until they are accepted."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory, ReviewQueue
from graph_memory.api.types import Scope
from graph_memory.diagnostics.database_metrics import read_metrics
from graph_memory.errors import (
    ForbiddenError,
    InvalidArgumentError,
    NotFoundError,
    PendingReviewError,
    RejectedBeforeError,
    SettingsError,
)
from graph_memory.memories.add import add_many
from graph_memory.settings.base import read_settings
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other
from tests.support.mcp_client import call, inside, refused

TEXT = "The vault code of the Zermatt office is heptagon-4711"
QUESTION = "What is the vault code of the Zermatt office?"


def acting(memory: GraphMemory, authority: Authority, scope: Scope = Scope.ADMIN) -> GraphMemory:
    return memory.acting_for(Grant("bot/7", scope, None, authority))


async def found(memory: GraphMemory, group: str) -> set[str]:
    """Return what searches, retrievals, lists and exports find."""
    results = await memory.search(QUESTION, group_id=group)
    given = await memory.retrieve(QUESTION, min_relevance=0.0, group_id=group)
    lines = [json.loads(line)["content"] async for line in export_lines(memory, group)]
    listed = (await memory.list(group_id=group)).memories
    return {
        *(each.memory.content for each in results),
        *(each.memory.content for each in given.memories),
        *(each.content for each in listed),
        *lines,
    }


async def _by_add(memory: GraphMemory, group: str) -> None:
    await memory.add(TEXT, group_id=group)


async def _by_batch(memory: GraphMemory, group: str) -> None:
    (added,) = await memory.add_many([{"content": TEXT}], group_id=group)
    if added.error:
        raise added.error


async def _by_import(memory: GraphMemory, group: str) -> None:
    report = await import_lines(memory, [json.dumps({"content": TEXT})], group)
    assert [error.code for error in report.errors] == ["pending_review"]
    raise PendingReviewError("", "")


async def _by_capture(memory: GraphMemory, group: str) -> None:
    turn = {"content": TEXT, "role": "user"}
    (captured,) = await memory.conversations.capture("c1", [turn], group_id=group)
    assert (captured.memory_id, captured.status) == (None, "left_out")
    raise PendingReviewError("", "")


async def test_health_and_metrics_count_what_waits(memory: GraphMemory, clock: Clock, group: str):
    strict = other(memory, review_authorities=("agent",))
    before = await read_metrics(memory.context)
    assert before is not None
    with pytest.raises(PendingReviewError):
        await strict.add(TEXT)
    since = clock.now
    clock.advance(days=8)
    waiting = await memory.health()
    assert waiting.review == ReviewQueue(1, 0, since, 0)
    during = await read_metrics(memory.context)
    assert during is not None
    assert during.review.waiting_writes == before.review.waiting_writes + 1
    assert during.review.waiting_since is not None
    (write,) = (await memory.pending.list()).writes
    await memory.pending.reject([write.pending_id])
    assert (await memory.health()).review == ReviewQueue(0, 0, None, 1)
    after = await read_metrics(memory.context)
    assert after is not None
    assert after.review.tombstones == before.review.tombstones + 1


@pytest.mark.parametrize("write", [_by_add, _by_batch, _by_import, _by_capture])
async def test_a_waiting_write_is_found_nowhere_until_it_is_accepted(
    memory: GraphMemory, group: str, write: Callable[[GraphMemory, str], Awaitable[None]]
):
    strict = other(memory, review_authorities=tuple(a for a in Authority if a != "person"))
    person = acting(strict, Authority.PERSON)
    await person.add("The canteen opens at nine", group_id=group)
    for _ in range(2):  # a repeated write waits once
        with pytest.raises(PendingReviewError):
            await write(strict, group)
    await strict.maintenance.run(groups=[group], full=True)
    assert await found(memory, group) == {"The canteen opens at nine"}
    (waiting,) = (await memory.pending.list(group_id=group)).writes
    assert (waiting.content, waiting.kind) == (TEXT, "add")
    with pytest.raises(NotFoundError):
        await memory.get(waiting.pending_id, group_id=group)

    done = await person.pending.accept([waiting.pending_id], group_id=group)
    assert (done.done, done.refusals) == ([waiting.pending_id], [])
    assert TEXT in await found(memory, group)
    stored = await memory.get(waiting.pending_id, group_id=group)
    assert stored.origin == waiting.origin
    assert waiting.origin.authority != "person"
    assert (await memory.pending.list(group_id=group)).total == 0


async def test_a_rejected_write_is_refused_from_then_on(memory: GraphMemory, group: str):
    strict = other(memory, review_authorities=(Authority.AGENT,))
    with pytest.raises(PendingReviewError):
        await strict.add(TEXT, group_id=group)
    done = await memory.pending.reject(reason="made up", group_id=group)
    assert len(done.done) == 1
    for writer in (strict, memory, acting(memory, Authority.PERSON)):
        with pytest.raises(RejectedBeforeError, match="made up"):
            await writer.add(TEXT.upper(), group_id=group)
    await memory.add("The canteen opens at nine", group_id=group)
    assert await found(memory, group) == {"The canteen opens at nine"}


async def test_a_waiting_change_leaves_the_content(memory: GraphMemory, group: str):
    added = await acting(memory, Authority.PERSON).add("The code is secret", group_id=group)
    strict = other(memory, review_authorities=(Authority.AGENT,))
    with pytest.raises(PendingReviewError):
        await strict.update(added.memory_id, content=TEXT, tags=["vault"], group_id=group)
    assert await found(memory, group) == {"The code is secret"}
    with pytest.raises(ForbiddenError, match="has the authority person"):
        await strict.update(added.memory_id, importance=9, group_id=group)
    await acting(strict, Authority.PERSON).update(added.memory_id, importance=9, group_id=group)
    (waiting,) = (await memory.pending.list(group_id=group)).writes
    assert (waiting.kind, waiting.memory_id) == ("update", added.memory_id)
    await memory.pending.accept(group_id=group)
    changed = await memory.get(added.memory_id, group_id=group)
    assert (changed.content, changed.tags, changed.importance) == (TEXT, ["vault"], 9)
    assert changed.origin is not None
    assert changed.origin.authority == "agent"


async def test_the_choice_of_a_decision(memory: GraphMemory, group: str):
    strict = other(memory, review_authorities=(Authority.AGENT, Authority.PERSON))
    for writer in (strict, acting(strict, Authority.PERSON)):
        with pytest.raises(PendingReviewError):
            await writer.add(f"{TEXT} {writer is strict}", group_id=group)
    ids = await memory.pending.ids(group_id=group)
    assert len(ids) == 2
    assert await memory.pending.ids(ways=["add_memory"], group_id=group) == []
    (mine,) = (await memory.pending.list(authorities=["person"], group_id=group)).writes
    assert (await memory.pending.get(mine.pending_id, group_id=group)) == mine
    with pytest.raises(InvalidArgumentError, match="not both"):
        await memory.pending.accept(ids, kinds=["add"], group_id=group)
    unknown: list[dict[str, Any]] = [
        {"kinds": ["delete"]},
        {"authorities": ["king"]},
        {"ways": [""]},
    ]
    for wrong in unknown:
        with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
            await memory.pending.ids(**wrong, group_id=group)
    done = await memory.pending.reject(authorities=["agent"], kinds=["add"], group_id=group)
    assert done.done == [each for each in ids if each != mine.pending_id]
    done = await memory.pending.accept(ways=["Python"], group_id=group)
    assert done.done == [mine.pending_id]
    with pytest.raises(InvalidArgumentError, match="no such write"):
        await memory.pending.get(mine.pending_id, group_id=group)


async def test_a_cancelled_review_leaves_no_write_half_decided(
    memory: GraphMemory, group: str, monkeypatch: pytest.MonkeyPatch
):
    strict = other(memory, review_authorities=(Authority.AGENT,))
    for text in (TEXT, "The canteen opens at nine"):
        with pytest.raises(PendingReviewError):
            await strict.add(text, group_id=group)
    first, second = await memory.pending.ids(group_id=group)
    accepted = await memory.pending.get(first, group_id=group)

    async def interrupted(*given: Any, **more: Any) -> Any:
        reviewing.cancel()
        return await add_many(*given, **more)

    monkeypatch.setattr("graph_memory.api.pending.add_many", interrupted)
    reviewing = asyncio.create_task(memory.pending.accept(group_id=group))
    with pytest.raises(asyncio.CancelledError):
        await reviewing
    assert (await memory.get(first, group_id=group)).content == accepted.content
    assert await memory.pending.ids(group_id=group) == [second]


async def test_no_secret_waits(memory: GraphMemory, group: str, driver: AsyncDriver):
    secret = "AKIAIOSFODNN7EXAMPLE"
    added = await memory.add("Deploy on Mondays, with the old key", group_id=group)
    strict = other(memory, review_authorities=(Authority.AGENT,))
    for write in (
        strict.add(f"Deploy with {secret}", group_id=group),
        strict.update(added.memory_id, content=f"Use {secret}", group_id=group),
        strict.update(
            added.memory_id, supersede_part="the old key", content=secret, group_id=group
        ),
    ):
        with pytest.raises(PendingReviewError):
            await write
    records, _, _ = await driver.execute_query(
        "MATCH (p:PendingWrite {group_id: $group}) RETURN p.content + p.arguments_json AS text",
        group=group,
    )
    assert len(records) == 3
    assert all("[AWS access key]" in each["text"] for each in records)
    assert not any(secret in each["text"] for each in records)


@pytest.mark.parametrize(
    ("rules", "waits"),
    [
        ({"review_authorities": (Authority.TOOL,)}, False),
        ({"review_ways": ("Python",)}, True),
        ({"review_ways": ("add_memory",)}, False),
        ({"review_patterns": (r"(?i)vault\s+code",)}, True),
        ({"review_patterns": (r"password",)}, False),
        ({"review_authorities": (Authority.AGENT,), "review_groups": ("elsewhere",)}, False),
    ],
)
async def test_the_settings_choose(
    memory: GraphMemory, group: str, rules: dict[str, Any], waits: bool
):
    strict = other(memory, **rules)
    if waits:
        with pytest.raises(PendingReviewError, match=r"Python|vault"):
            await strict.add(TEXT, group_id=group)
    else:
        await strict.add(TEXT, group_id=group)
    assert (await memory.pending.list(group_id=group)).total == int(waits)


async def test_only_the_writes_of_a_batch_that_match_wait(memory: GraphMemory, group: str):
    strict = other(memory, review_patterns=("vault",))
    results = await strict.add_many(
        [{"content": "the vault"}, {"content": "the canteen"}], group_id=group
    )
    assert [each.error and each.error.code for each in results] == ["pending_review", None]


async def test_a_writer_cannot_accept(memory: GraphMemory, group: str):
    strict = other(memory, review_authorities=(Authority.AGENT,))
    with pytest.raises(PendingReviewError):
        await strict.add(TEXT, group_id=group)
    writer = acting(memory, Authority.PERSON, Scope.WRITE)
    for decide in (writer.pending.accept, writer.pending.reject):
        with pytest.raises(ForbiddenError, match="admin"):
            await decide(group_id=group)
    assert (await memory.pending.list(group_id=f"{group}_b")).total == 0
    assert (await memory.pending.accept(group_id=f"{group}_b")).done == []
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=group)
    assert (await memory.pending.list(group_id=group)).total == 0


async def test_what_is_stored_since_is_dropped_and_what_fails_stays(
    memory: GraphMemory, group: str
):
    strict = other(memory, review_authorities=(Authority.AGENT,))
    gone = await memory.add("The code is secret", group_id=group)
    for write in (
        strict.add(TEXT, group_id=group),
        strict.update(gone.memory_id, content="No code", group_id=group),
    ):
        with pytest.raises(PendingReviewError):
            await write
    await memory.add(TEXT, group_id=group)
    await memory.delete(gone.memory_id, group_id=group)
    done = await memory.pending.accept(group_id=group)
    assert (done.done, len(done.refusals)) == ([], 2)
    (left,) = (await memory.pending.list(group_id=group)).writes
    assert left.kind == "update"


async def test_an_agent_is_told_and_a_reviewer_decides(memory: GraphMemory, group: str):
    rules = {"review_ways": ("add_memory",), "toolsets": ("core", "learning")}
    async with inside(memory, **rules) as client:
        said, data = await refused(client, "add_memory", content=TEXT)
        assert data["code"] == "pending_review"
        assert "do not repeat it" in said
        (waiting,) = (await call(client, "list_pending"))["writes"]
        assert waiting["origin"]["authority"] == "agent"
        for chosen in ({"kinds": ["update"]}, {"authorities": ["person"]}, {"ways": ["import"]}):
            assert (await call(client, "list_pending", **chosen))["writes"] == []
        same = {"kinds": "add", "authorities": ["agent"], "ways": ["add_memory"]}
        assert (await call(client, "list_pending", **same))["writes"] == [waiting]
        said, _ = await refused(client, "list_pending", kinds=["delete"])
        assert "kinds" in said
        ids = [waiting["pending_id"]]
        done = await call(client, "decide_pending", decision="accept", pending_ids=ids)
        assert done["done"] == ids
        found = await call(client, "search_memory", query=QUESTION)
        assert found["results"][0]["content"] == TEXT


async def test_a_pattern_lets_a_person_pass(memory: GraphMemory, group: str):
    strict = other(memory, review_patterns=("vault",))
    await acting(strict, Authority.PERSON).add(TEXT, group_id=group)
    assert (await memory.pending.list(group_id=group)).total == 0


@pytest.mark.parametrize(
    ("name", "value"), [("review_authorities", ("king",)), ("review_patterns", ("(",))]
)
def test_a_malformed_rule_is_refused(name: str, value: tuple[str, ...]):
    with pytest.raises(SettingsError, match=name.upper()):
        read_settings(**{name: value})
