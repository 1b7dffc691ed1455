"""300 cases of superseding, release and purging; `tests/data/forgetting_cases.jsonl` holds them.

In each, an agent finds one of several statements by a description and acts on it. Then a question
must not deliver what is gone, and must deliver what stays. 100 cases are hard: compound statements,
names that look alike, purged statements that come again in another spelling, and reversals.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from graph_memory import GraphMemory
from graph_memory.errors import RejectedBeforeError
from graph_memory.transfer.import_export import export_lines, import_lines

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "forgetting_cases.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


async def act(memory: GraphMemory, group: str, step: dict[str, Any]) -> None:
    """Carry out a step of a case on the first memory that its description finds."""
    if step["do"] == "again":
        await write_again(memory, group, step["by"], step["content"])
        return
    (found,) = await memory.search(step["about"], limit=1, group_id=group)
    target = found.memory.memory_id
    match step["do"]:
        case "supersede":
            added = await memory.add(step["new"], group_id=group)
            await memory.lifecycle.mark_obsolete(
                target, "replaced", superseded_by=added.memory_id, group_id=group
            )
        case "part":
            new = {"content": step["new"]} if step["new"] else {}  # without one the part goes
            await memory.update(target, supersede_part=step["part"], group_id=group, **new)
        case "release":
            await memory.lifecycle.mark_obsolete(target, step["reason"], group_id=group)
        case "purge":
            await memory.delete(target, permanent=True, group_id=group)
        case other:
            raise AssertionError(other)


async def write_again(memory: GraphMemory, group: str, way: str, content: str) -> None:
    """Write a statement again; a refusal is what the case is about."""
    try:
        match way:
            case "add":
                await memory.add(content, group_id=group)
            case "batch":
                await memory.add_many([{"content": content}], group_id=group)
            case "import":
                await import_lines(memory, [json.dumps({"content": content})], group)
            case _:
                turns = [{"content": content, "role": "user"}]
                await memory.conversations.capture("c1", turns, group_id=group)
    except RejectedBeforeError:
        pass


async def texts(memory: GraphMemory, group: str, case: dict[str, Any]) -> AsyncIterator[str]:
    """Yield what a question delivers, and for a purge also what lists and exports hold."""
    for each in await memory.search(case["ask"], group_id=group):
        yield each.memory.content
    given = await memory.retrieve(case["ask"], min_relevance=0.0, group_id=group)
    for each in given.memories:
        yield each.memory.content
    if case["kind"] == "purge":
        async for line in export_lines(memory, group):
            yield json.loads(line)["content"]


async def passes(memory: GraphMemory, group: str, case: dict[str, Any]) -> bool:
    """Play a case in a group of its own."""
    await memory.add_many([{"content": fact} for fact in case["facts"]], group_id=group)
    before = {each async for each in texts(memory, group, case)}
    assert before & set(case["facts"]), "the control: the question finds statements"
    for step in case["steps"]:
        await act(memory, group, step)
    after = {each async for each in texts(memory, group, case)}
    return not after & set(case["gone"]) and set(case["stays"]) <= after


async def share(memory: GraphMemory, group: str, cases: list[dict[str, Any]]) -> float:
    """Return the share of cases that pass, and print the others."""
    failed = [
        each["id"]
        for number, each in enumerate(cases)
        if not await passes(memory, f"{group}_{number}_{each['hard']}", each)
    ]
    print(f"{len(cases) - len(failed)} of {len(cases)} pass; failed: {failed}")
    return 1 - len(failed) / len(cases)


def chosen(hard: bool, every: int) -> list[dict[str, Any]]:
    return [each for each in CASES if each["hard"] is hard][::every]


def test_there_are_two_hundred_plain_and_a_hundred_hard_cases():
    assert (len(chosen(False, 1)), len(chosen(True, 1))) == (200, 100)
    assert {each["kind"] for each in CASES} == {"supersede", "release", "purge"}


@pytest.mark.parametrize(
    "every", [10, pytest.param(1, marks=[pytest.mark.stress, pytest.mark.timeout(1800)])]
)
async def test_what_is_superseded_released_or_purged_is_not_delivered(
    memory: GraphMemory, group: str, every: int
):
    assert await share(memory, group, chosen(False, every)) >= 0.95
    assert await share(memory, group, chosen(True, every)) >= 0.70
