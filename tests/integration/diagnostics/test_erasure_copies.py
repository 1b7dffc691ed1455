"""An erasure with copies reaches what imports made from the original, and nothing else."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from graph_memory import Grant, GraphMemory, Settings
from graph_memory.api.types import Scope
from graph_memory.database.graph import Graph
from graph_memory.diagnostics.erasure_copies import PLACE
from graph_memory.domain.receipts import receipt_of
from graph_memory.errors import ForbiddenError, NotFoundError
from graph_memory.inference.embedder import Embedder
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import Clock

SECRET = "The vault in Bergen opens with zq7kd93mfw2p."


@pytest_asyncio.fixture
async def memory(
    graph: Graph, embedder: Embedder, settings: Settings, group: str, clock: Clock, tmp_path: Path
) -> AsyncIterator[GraphMemory]:
    """A service with a folder of its own for backups."""
    own = {"group_id": group, "backup_path": tmp_path / "backups"}
    yield GraphMemory.over(graph, embedder, settings.model_copy(update=own), clock=clock)


async def copied(memory: GraphMemory, group: str, into: str) -> list[str]:
    """Export a group, import it into another one, and return the lines."""
    lines = [line async for line in export_lines(memory, group)]
    await import_lines(memory, lines, into)
    return lines


async def contents(memory: GraphMemory, group: str) -> set[str]:
    page = await memory.list(group_id=group, limit=50, counted=False)
    return {each.content for each in page.memories}


async def test_copies_and_their_copies_are_erased_and_all_else_stays(
    memory: GraphMemory, group: str
) -> None:
    second, third, independent = (f"{group}_{name}" for name in ("second", "third", "own"))
    original = await memory.add(SECRET)
    await memory.add("The harbour is open in summer.")
    await memory.add(SECRET, group_id=independent)
    await memory.add("Theirs alone.", group_id=second)
    lines = await copied(memory, group, second)
    await copied(memory, group, independent)  # has the statement already
    (copy,) = [
        each
        for each in (await memory.list(group_id=second, counted=False)).memories
        if each.content == SECRET
    ]
    assert (await memory.get(copy.memory_id, group_id=second)).copied_from == original.memory_id
    await memory.update(copy.memory_id, content=f"{SECRET} Really.", group_id=second)
    await copied(memory, second, third)

    receipt = await memory.erasure.erase([original.memory_id], copies=True)

    assert {each.group_id for each in receipt.copies} == {second, third}
    assert await contents(memory, group) == {"The harbour is open in summer."}
    for other in (second, third):
        assert await contents(memory, other) == {"The harbour is open in summer.", "Theirs alone."}
    assert SECRET in await contents(memory, independent)
    assert {each.place: each.remaining for each in receipt.places}[PLACE] == 0
    checked = await memory.erasure.verify(receipt.to_json())
    assert checked.clean, checked.findings
    assert f"graph (group {third})" in checked.searched
    report = await import_lines(memory, lines, second)  # the export from before
    assert (report.stored, report.failed) == (0, 1)


async def test_a_receipt_names_copies_for_a_caller_of_all_groups_only(
    memory: GraphMemory, group: str
) -> None:
    second = f"{group}_second"
    first, other = [await memory.add(f"{SECRET} {number}") for number in (1, 2)]
    await copied(memory, group, second)
    bound = memory.acting_for(Grant("t", Scope.ADMIN, (group,)))
    with pytest.raises(ForbiddenError, match="an erasure of copies in other groups"):
        await bound.erasure.erase([first.memory_id], copies=True)
    with pytest.raises(ForbiddenError, match="an erasure of copies in other groups"):
        await bound.erasure.erase_all(confirm="DELETE ALL", copies=True)
    hidden = await bound.erasure.erase([first.memory_id])
    (place,) = [each for each in hidden.places if each.place == PLACE]
    assert (place.found, place.ids) == (0, ())
    assert "not searched" in place.why
    assert second not in hidden.to_json()

    shown = await memory.erasure.erase([other.memory_id])

    (place,) = [each for each in shown.places if each.place == PLACE]
    assert place.remaining == 1
    assert place.ids[0].startswith(f"{second}/")
    checked = await memory.erasure.verify(shown)
    assert {each.place for each in checked.findings} == {PLACE}
    assert all(each.on_receipt for each in checked.findings)
    by_id = place.ids[0].partition("/")[2]
    await memory.erasure.erase([by_id], group_id=second)
    assert (await memory.erasure.verify(shown)).clean


async def test_a_group_is_erased_with_its_copies(memory: GraphMemory, group: str) -> None:
    second = f"{group}_second"
    await memory.add(SECRET)
    await memory.add("Theirs alone.", group_id=second)
    await copied(memory, group, second)
    receipt = await memory.erasure.erase_all(confirm="DELETE ALL", copies=True)
    assert await contents(memory, group) == set()
    assert await contents(memory, second) == {"Theirs alone."}
    assert [each.group_id for each in receipt.copies] == [second]
    assert (await memory.erasure.verify(receipt)).clean


async def test_a_deleted_copy_is_erased_and_an_absent_original_changes_nothing(
    memory: GraphMemory, group: str
) -> None:
    second = f"{group}_second"
    original = await memory.add(SECRET)
    await copied(memory, group, second)
    ((copy,),) = [(await memory.list(group_id=second, counted=False)).memories]
    await memory.delete(copy.memory_id, group_id=second)
    with pytest.raises(NotFoundError):
        await memory.erasure.erase(["absent"], copies=True)
    receipt = await memory.erasure.erase([original.memory_id], copies=True)
    assert receipt.copies[0].memory_ids == (copy.memory_id,)
    with pytest.raises(NotFoundError):
        await memory.lifecycle.recover(copy.memory_id, group_id=second)


async def test_a_changed_receipt_of_a_copy_is_not_signed(memory: GraphMemory, group: str) -> None:
    second = f"{group}_second"
    original = await memory.add(SECRET)
    await copied(memory, group, second)
    receipt = await memory.erasure.erase([original.memory_id], copies=True)
    assert receipt_of(receipt.to_json()) == receipt
    forged = replace(receipt, copies=(replace(receipt.copies[0], by="another"),))
    assert not (await memory.erasure.verify(forged)).signed
    assert not (await memory.erasure.verify(replace(receipt, copies=()))).signed


async def test_a_line_with_a_taken_id_and_another_text_is_not_a_copy(
    memory: GraphMemory, group: str
) -> None:
    second = f"{group}_second"
    await memory.add("The first of two files.", memory_id=f"{group}-m1")
    await import_lines(
        memory, [f'{{"memory_id": "{group}-m1", "content": "The second file."}}'], second
    )
    receipt = await memory.erasure.erase([f"{group}-m1"], copies=True)
    assert receipt.copies == ()
    assert await contents(memory, second) == {"The second file."}
