"""What a group holds and how it fares, by the API, the tools, the resources and the commands."""

import functools
import json
from datetime import timedelta
from pathlib import Path

import pytest

from graph_memory import GraphMemory
from graph_memory.api.parts import Parts
from graph_memory.backup import create
from graph_memory.database.ranges import id_ranges
from graph_memory.diagnostics import stats as diagnostics
from graph_memory.errors import BackupError, ConfirmationRequiredError, GraphMemoryError
from graph_memory.maintenance import reembedding
from tests.conftest import TODAY, Clock
from tests.support.mcp_client import call, inside


async def filled(memory: GraphMemory) -> list[str]:
    """Store three facts and a task, the second relating to the first and the third; delete none."""
    one = await memory.add("Ada drinks tea", memory_type="fact", tags=["ada", "tea"], importance=6)
    two = await memory.add("Grace drinks coffee", memory_type="fact", tags=["grace"], importance=2)
    three = await memory.add("Buy tea", memory_type="task", tags=["tea"], confidence=0.5)
    four = await memory.add("Ada is Ada", memory_type="fact", importance=10, stability=5)
    await memory.relations.add(two.memory_id, one.memory_id, "contradicts", strength=0.2)
    await memory.relations.add(two.memory_id, three.memory_id, "contradicts", strength=0.4)
    await memory.relations.add(one.memory_id, three.memory_id, "causes", strength=1.0)
    return [memory.memory_id for memory in (one, two, three, four)]


async def test_stats_count_what_is_there(memory: GraphMemory, group: str):
    ids = await filled(memory)
    await memory.add("of another", group_id=f"{group}_other", tags=["tea"])
    found = await memory.stats()
    assert (found.group_id, found.total) == (group, 4)
    assert found.by_type == {"fact": 3, "task": 1}
    assert found.by_tag == {"tea": 2, "ada": 1, "grace": 1}
    assert {name: (t.count, t.avg_strength) for name, t in found.relations.items()} == {
        "contradicts": (2, 0.3),
        "causes": (1, 1.0),
    }
    assert found.embedding.dimensions == 384
    assert found.embedding.missing == 0
    await memory.relations.remove(ids[0], ids[2])
    await memory.delete(ids[2])
    later = await memory.stats()
    assert (later.total, later.by_tag["tea"]) == (3, 1)
    assert {name: t.count for name, t in later.relations.items()} == {"contradicts": 1}


async def test_tags_that_differ_in_case_are_counted_as_one(memory: GraphMemory):
    for text, tag in (("one", "Critical"), ("two", "critical"), ("three", "CRITICAL")):
        await memory.add(text, tags=[tag, "Ada"])
    assert (await memory.stats()).by_tag == {"Ada": 3, "critical": 3}


async def test_ranges_of_ids_are_added_up(
    memory: GraphMemory, clock: Clock, group: str, monkeypatch: pytest.MonkeyPatch
):
    ids = await filled(memory)
    for text, tag in (("one", "Critical"), ("two", "critical"), ("three", "Only")):
        await memory.add(text, tags=[tag, "tea"], importance=3, confidence=0.8)
    clock.advance(days=3)
    await memory.delete(ids[1])
    clock.advance(days=4)
    await memory.delete(ids[2])
    stats, health = await memory.stats(), await memory.health()
    assert (stats.by_tag["critical"], stats.by_tag["Only"]) == (2, 1)
    missing = await memory.embeddings.rebuild(dry_run=True, group_id=group)
    assert missing.candidates == 7
    for module in (diagnostics, reembedding):
        monkeypatch.setattr(module, "id_ranges", functools.partial(id_ranges, limit=2))
    assert await memory.stats() == stats
    assert await memory.health() == health
    assert await memory.embeddings.rebuild(dry_run=True, group_id=group) == missing


async def test_health_is_as_every_answer_shows_it(memory: GraphMemory, clock: Clock, group: str):
    ids = await filled(memory)
    clock.advance(days=40)
    await memory.maintenance.run(groups=[group])
    gone = await memory.delete(ids[1])
    found = await memory.health()
    assert found.states == {
        "ACTIVE": 1,
        "DORMANT": 2,
        "ARCHIVED": 0,
        "EXPIRED": 0,
        "SOFT_DELETED": 1,
    }
    assert found.protected == 1
    shown = [await memory.lifecycle.status(memory_id) for memory_id in (ids[0], ids[2], ids[3])]
    mean = sum(status.decay_score for status in shown) / 3
    assert found.averages.decay_score == pytest.approx(mean, abs=1e-4)
    assert found.averages.importance == pytest.approx((6 + 5 + 10) / 3, abs=1e-4)
    assert found.averages.confidence == 0.5
    assert found.last_run is not None
    assert found.last_run.status == "done"
    assert found.recoverable_until_soonest == gone.recoverable_until == TODAY + timedelta(days=130)
    assert (found.classification_pending, found.embeddings_missing, found.paused) == (0, 0, None)


async def test_the_last_run_is_the_latest_that_was_for_the_group(memory: GraphMemory, group: str):
    ours = await memory.maintenance.run(groups=[group])
    theirs = await memory.maintenance.run(groups=[f"{group}_other"])
    for name, run in ((group, ours), (f"{group}_other", theirs)):
        last = (await memory.health(name)).last_run
        assert last is not None
        assert last.run_id == run.run_id


async def test_an_empty_group_has_no_averages(memory: GraphMemory):
    health, stats = await memory.health(), await memory.stats()
    assert set(health.states.values()) == {0}
    assert health.averages.decay_score is None
    assert (stats.total, stats.by_type, stats.relations) == (0, {}, {})


async def test_what_lacks_a_vector_is_counted_and_embedded_by_the_tool(
    memory: GraphMemory, group: str
):
    await filled(memory)
    async with inside(memory) as client:
        counted = await call(client, "rebuild_embeddings", only_missing=False)
        assert counted == {"candidates": 4, "rebuilt": 0, "failed": 0}
        done = await call(client, "rebuild_embeddings", only_missing=False, dry_run=False)
        assert done == {"candidates": 4, "rebuilt": 4, "failed": 0}
        left = await call(client, "rebuild_embeddings")
        assert left == {"candidates": 0, "rebuilt": 0, "failed": 0}


async def test_tools_and_resources_tell_the_same(memory: GraphMemory, group: str):
    await filled(memory)
    async with inside(memory) as client:
        stats = await call(client, "memory_stats")
        health = await call(client, "get_knowledge_health")
        for name, told in (("stats", stats), ("health", health)):
            (content,) = (await client.read_resource(f"{name}://{group}")).contents
            assert json.loads(content.text) == told  # type: ignore[union-attr]
        answer = await client.call_tool("memory_stats", {})
        assert "4 memories." in answer.content[0].text  # type: ignore[union-attr]
        answer = await client.call_tool("get_knowledge_health", {})
        assert "ACTIVE 4" in answer.content[0].text  # type: ignore[union-attr]
    assert stats["by_type"] == {"fact": 3, "task": 1}
    assert health["states"]["ACTIVE"] == 4


async def test_a_group_is_backed_up_before_it_is_emptied(memory: GraphMemory, tmp_path: Path):
    kept = memory.settings.model_copy(update={"backup_path": tmp_path / "kept"})
    careful = GraphMemory.over(
        memory.context.graph, memory.context.embedder, kept, clock=memory.clock
    )
    await filled(careful)
    with pytest.raises(ConfirmationRequiredError):
        await careful.delete_all(confirm="yes", backed_up=True)
    assert not (tmp_path / "kept").exists()
    gone = await careful.delete_all(confirm="DELETE ALL", backed_up=True)
    assert gone.deleted == 4
    assert gone.backup_path is not None
    assert gone.backup_path.parent == create.folder_of(kept)
    assert "Grace drinks coffee" in (gone.backup_path / "memories.json").read_text()


async def test_without_a_backup_nothing_is_deleted(memory: GraphMemory, tmp_path: Path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    kept = memory.settings.model_copy(update={"backup_path": in_the_way, "backup_auto": True})
    careful = GraphMemory.over(
        memory.context.graph, memory.context.embedder, kept, clock=memory.clock
    )
    await filled(careful)
    with pytest.raises(BackupError):
        await careful.delete_all(confirm="DELETE ALL", permanent=True, backed_up=True)
    assert (await memory.stats()).total == 4
    async with inside(careful) as client:
        answer = await client.call_tool("delete_all_memories", {"confirm": "DELETE ALL"})
    assert answer.is_error
    assert (answer.structured_content or {})["code"] == "backup"


async def test_another_groups_numbers_are_told_to_nobody_else(memory: GraphMemory, group: str):
    from dataclasses import replace

    await filled(memory)
    stranger = memory.acting_for(replace(memory.grant, groups=(f"{group}_other",)))
    assert (await stranger.stats()).total == 0
    with pytest.raises(GraphMemoryError, match="not open"):
        await stranger.health(group)


async def test_a_caller_with_groups_shares_what_is_loaded(memory: GraphMemory, group: str):
    from dataclasses import replace

    bound = memory.acting_for(replace(memory.grant, groups=(group,)))
    assert bound is not memory
    assert vars(bound.context) == vars(memory.context) | {"grant": bound.grant}
    assert bound._worker is memory._worker  # it reads the episodes of all callers
    names = [name for name in vars(Parts) if not name.startswith("_")]
    assert {"relations", "maintenance", "tokens", "serving"} <= set(names)
    for name in names:
        assert getattr(bound, name)._context is bound.context, name
