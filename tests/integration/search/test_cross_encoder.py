"""The default ranking with a real cross-encoder, whose scores are computed here as well."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest
import pytest_asyncio

from graph_memory import GraphMemory
from graph_memory.diagnostics.doctor import examine
from graph_memory.errors import SettingsError
from graph_memory.evaluation.dataset import Evaluation
from graph_memory.evaluation.evaluate import evaluate
from graph_memory.inference.embedder import Embedder
from graph_memory.ranking.candidates import LEAD_CHARACTERS
from tests.conftest import Clock
from tests.integration.search.test_passages import LONG
from tests.integration.search.test_search import FACTS
from tests.support.mcp_client import call, inside, refused, serving
from tests.support.tiny_cross_encoder import judged, write_cross_encoder

FACTS_GIVEN = [{"content": fact} for fact in FACTS]
QUESTION = "which colour has the cat's notebook?"

Judging = Callable[..., GraphMemory]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("cross-encoder"))


@pytest_asyncio.fixture
async def judging(memory: GraphMemory, folder: Path) -> AsyncIterator[Judging]:
    """Open the same group with the cross-encoder, and with other settings."""
    opened: list[Embedder] = []

    def other(**changed: Any) -> GraphMemory:
        settings = memory.settings.model_copy(
            update={"recall_cross_encoder": str(folder), **changed}
        )
        opened.append(Embedder(settings))
        return GraphMemory.over(memory.context.graph, opened[-1], settings, clock=memory.clock)

    yield other
    for embedder in opened:
        await embedder.close()


async def test_it_decides_the_order_where_nothing_else_weighs(
    memory: GraphMemory, judging: Judging, folder: Path
) -> None:
    await memory.add_many(FACTS_GIVEN)
    alone = judging(
        recall_cross_encoder_weight=10.0,
        recall_vector_weight=0.0,
        recall_late_weight=0.0,
        recall_form_weight=0.0,
        recall_sitting_weight=0.0,
    )
    question = "quid?"  # shares no word with a memory
    expected = dict(zip(FACTS, judged(folder, question, FACTS), strict=True))
    best = max(expected.values())
    found = await alone.search(question)
    assert [hit.memory.content for hit in found] == sorted(FACTS, key=lambda f: -expected[f])
    assert found[0].memory.content != (await memory.search(question))[0].memory.content
    for hit in found:
        assert hit.components["cross"] == pytest.approx(
            expected[hit.memory.content] / best, abs=1e-4
        )
        assert hit.score == pytest.approx(10 / 12 * (hit.components["cross"] or 0))


async def test_it_counts_as_one_measure_among_the_others(
    memory: GraphMemory, judging: Judging
) -> None:
    await memory.add_many(FACTS_GIVEN)
    plain = {hit.memory.memory_id: hit for hit in await memory.search(QUESTION)}
    found = await judging().search(QUESTION)
    others = 4.9 + 4 * 140 / (140 + median(len(fact) for fact in FACTS))
    assert len(found) == len(plain) == len(FACTS)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    for hit in found:
        before = plain[hit.memory.memory_id]
        assert "cross" not in before.components
        assert hit.components == pytest.approx(
            {**before.components, "cross": hit.components["cross"]}
        )
        assert hit.score == pytest.approx(
            (others * before.score + 2 * (hit.components["cross"] or 0)) / (others + 2)
        )


async def test_the_best_few_are_read_and_the_others_follow_in_their_order(
    memory: GraphMemory, judging: Judging
) -> None:
    await memory.add_many([{"content": f"note {n} on the cat and tea"} for n in range(60)])
    await memory.add_many(FACTS_GIVEN)
    few = judging(recall_cross_encoder_candidates=4)
    plain = [hit.memory.memory_id for hit in await memory.search(QUESTION, limit=50)]
    found = await few.search(QUESTION, limit=50)
    ids = [hit.memory.memory_id for hit in found]
    assert len(ids) == 50
    assert set(ids[:4]) == set(plain[:4])
    assert ids[4:] == plain[4:]
    assert all(hit.components["cross"] for hit in found[:4])
    assert {hit.components["cross"] for hit in found[4:]} == {0}
    for limit in (1, 3, 10):
        short = await few.search(QUESTION, limit=limit)
        assert [hit.memory.memory_id for hit in short] == ids[:limit]


@pytest.mark.parametrize("late_weight", [0.0, 1.0])
async def test_it_reads_the_passage_that_answers(
    memory: GraphMemory, judging: Judging, folder: Path, late_weight: float
) -> None:
    short = await memory.add(FACTS[0])
    long = await memory.add(LONG)
    question = "whose passport expires next year?"
    found = await judging(recall_late_weight=late_weight).search(question)
    by_id = {hit.memory.memory_id: hit for hit in found}
    passage = by_id[long.memory_id].passage
    assert passage is not None
    assert "passport" in passage.text
    assert passage.end > LEAD_CHARACTERS
    scores = judged(folder, question, [FACTS[0], passage.text])
    for id_, score in zip((short.memory_id, long.memory_id), scores, strict=True):
        assert by_id[id_].components["cross"] == pytest.approx(score / max(scores), abs=1e-4)


async def test_it_reads_what_the_clock_and_the_filters_allow(
    memory: GraphMemory, judging: Judging, folder: Path, clock: Clock
) -> None:
    told = clock.now
    first = await memory.add(FACTS[0], tags=["drinks"])
    await memory.add(FACTS[4], tags=["releases"])
    clock.advance(days=1)
    await memory.update(first.memory_id, content=FACTS[5])
    await memory.add_many(
        [
            {"content": FACTS[1], "tags": ["drinks"]},
            {"content": FACTS[2]},
            {"content": FACTS[3], "tags": ["drinks"], "invalid_at": clock.now},
        ]
    )
    clock.advance(days=1)
    both = judging()
    now = await both.search(QUESTION, tags=["drinks"])
    assert {hit.memory.content for hit in now} == {FACTS[5], FACTS[1]}
    then = await both.search(QUESTION, known_at=told)
    assert {hit.memory.content for hit in then} == {FACTS[0], FACTS[4]}
    held = await both.search(QUESTION, as_of=told)
    assert {hit.memory.content for hit in held} == {FACTS[5], FACTS[4]}
    for found in (now, then, held):
        scores = judged(folder, QUESTION, [hit.memory.content for hit in found])
        for hit, score in zip(found, scores, strict=True):
            assert hit.components["cross"] == pytest.approx(score / max(scores), abs=1e-4)
    assert await both.search(QUESTION, tags=["nothing"]) == []
    for profile in ("weighted", "hybrid"):
        hits = await both.search(QUESTION, profile=profile)
        assert hits
        assert not any("cross" in hit.components for hit in hits)


async def test_tools_show_it_and_keep_their_budgets(memory: GraphMemory, judging: Judging) -> None:
    await memory.add_many(FACTS_GIVEN)
    async with inside(judging()) as client:
        full = {"query": QUESTION, "detail": "full"}
        found = await call(client, "search_memory", limit=2, **full)
        assert len(found["results"]) == 2
        assert all(0 < hit["components"]["cross"] <= 1 for hit in found["results"])
        given = await call(client, "retrieve_memories", max_tokens=150, **full)
        assert given["memories"]
        assert 0 < given["tokens_used"] <= 150
        assert all("cross" in each["components"] for each in given["memories"])


async def test_without_its_model_a_search_names_the_remedy(
    memory: GraphMemory, judging: Judging, tmp_path: Path
) -> None:
    await memory.add_many(FACTS_GIVEN)
    broken = judging(recall_cross_encoder=str(tmp_path))
    with pytest.raises(SettingsError, match="GRAPH_MEMORY_RECALL_CROSS_ENCODER"):
        await broken.search(QUESTION)
    assert await broken.search(QUESTION, profile="weighted")
    async with inside(broken) as client:
        said, data = await refused(client, "search_memory", query=QUESTION)
        assert data["code"] == "settings"
        assert str(tmp_path) in said


async def test_the_service_is_ready_when_it_is(judging: Judging) -> None:
    memory = judging()
    async with serving(memory) as url, httpx.AsyncClient(base_url=url) as http:
        await memory.context.embedder.load()
        waiting = (await http.get("/readyz")).json()
        assert list(waiting["missing"]) == ["cross_encoder"]
        await memory.context.embedder.load_all()
        assert (await http.get("/readyz")).status_code == 200


async def test_the_doctor_looks_at_it(memory: GraphMemory, folder: Path, tmp_path: Path) -> None:
    async def examined(name: Path | str) -> list[tuple[str, str]]:
        settings = memory.settings.model_copy(update={"recall_cross_encoder": str(name)})
        checks = [check for check in await examine(settings) if check.name == "cross-encoder"]
        return [(check.status, check.remedy) for check in checks]

    assert await examined("") == []
    assert await examined(folder) == [("ok", "")]
    ((status, remedy),) = await examined(tmp_path)
    assert status == "fail"
    assert "GRAPH_MEMORY_RECALL_CROSS_ENCODER" in remedy


async def test_an_evaluation_measures_it(memory: GraphMemory, judging: Judging) -> None:
    data = Evaluation.model_validate(
        {
            "memories": [{"id": str(i), "content": fact} for i, fact in enumerate(FACTS)],
            "questions": [
                {"text": f"{fact}?", "evidence": [str(i)]} for i, fact in enumerate(FACTS)
            ],
        }
    )
    (plain,) = (await evaluate(memory, data, budgets=())).scores
    judged = await evaluate(judging(recall_cross_encoder_weight=10.0), data, budgets=())
    (moved,) = judged.scores
    assert plain.mrr == 1
    assert moved.mrr < 1
