"""Relevance under analysers of other languages, which drop stop words of their own."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from graph_memory import GraphMemory, Settings
from graph_memory.database.graph import Graph
from graph_memory.database.indexes import recreate_indexes
from graph_memory.domain.inputs import Filters
from graph_memory.domain.scope import CallScope
from graph_memory.search.candidates import Gathered, gather


@dataclass(frozen=True)
class Language:
    """Texts for an analyser.

    `asked` has no words but those of `fact` and stop words, `absent` no word of a memory. Of
    `absent` the reason names only `missing`; the model takes any two Arabic texts for similar, so
    there it names none. `remark` shares one word with `fact`.
    """

    analyzer: str
    fact: str
    asked: str
    absent: str
    missing: str
    remark: str


LANGUAGES = [
    Language(
        "standard",
        "The neighbour repairs bicycles in the cellar",
        "they are the bicycles that the neighbour repairs",
        "is that the zeppelin of this gondolier?",
        "zeppelin or gondolier",
        "these are not the bicycles for this",
    ),
    Language(
        "german",
        "Der Nachbar repariert Fahrräder im Keller",
        "was sind das für Fahrräder, die er im Keller repariert?",
        "wie war das mit dem zeppelin und der gondel?",
        "zeppelin or gondel",
        "das ist nicht dieser Keller, den ich hatte",
    ),
    Language(
        "french",
        "Le voisin répare des vélos dans la cave",
        "qu'il y ait des vélos dans la cave de ce voisin",
        "qu'il y ait ce zeppelin avec la gondole",
        "zeppelin or gondole",
        "j'avais ce que tu avais pour la cave",
    ),
    Language(
        "arabic",
        "الجار يصلح الدراجات في القبو",
        "من هو الذي يصلح الدراجات في القبو",
        "هل هذا هو زيبلين",
        "",
        "هذا الذي كان هناك في القبو",
    ),
    Language(
        "cjk",
        "邻居在地下室修理自行车",
        "the 邻居 and 修理自行车",
        "that is the zeppelin of a gondolier",
        "zeppelin or gondolier",
        "it is not the 邻居 or such",
    ),
]


@pytest_asyncio.fixture(params=LANGUAGES, ids=lambda language: language.analyzer)
async def language(
    request: pytest.FixtureRequest, graph: Graph, settings: Settings
) -> AsyncIterator[Language]:
    """Make the full-text index with an analyser, and with that of the settings in the end."""
    given: Language = request.param
    changed = settings.model_copy(update={"fulltext_analyzer": given.analyzer})
    try:
        await recreate_indexes(graph, changed, ["memory_text_idx"])
        yield given
    finally:
        await recreate_indexes(graph, settings, ["memory_text_idx"])


async def test_stop_words_of_the_analyser_do_not_count(
    memory: GraphMemory, language: Language
) -> None:
    changed = {"fulltext_analyzer": language.analyzer}
    settings = memory.settings.model_copy(update=changed)
    context = memory.context
    other = GraphMemory.over(context.graph, context.embedder, settings, clock=memory.clock)
    await other.add(language.fact)
    await other.add_many([{"content": f"Zorkus{n} plimeti quand{n}"} for n in range(60)])

    found = await other.search(language.asked)
    assert found[0].memory.content == language.fact
    assert (found.known, (found[0].relevance or 0) > 0.9) == ("yes", True)
    gathered = await _gathered(other, language.asked)
    at = [m.lead for m in gathered.candidates.memories].index(language.fact)
    _, met, unmet, _ = gathered.assessment.features[at]
    assert (met, unmet) == (pytest.approx(1), 0)

    reason = (await other.search(language.absent)).known_reason
    if language.missing:
        assert reason == f"Nothing found mentions {language.missing}."

    # A phrase of which the index keeps one word would be in each memory with that word.
    (best, *_) = await other.search(language.remark)
    assert "quotation" not in best.components
    (best, *_) = await other.search(language.fact)
    assert (best.memory.content, best.relevance) == (language.fact, pytest.approx(1, abs=0.05))


async def _gathered(memory: GraphMemory, question: str) -> Gathered:
    engine, scope = memory.context.engine, CallScope(memory.settings.group_id, memory.clock())
    embedding = await engine.embedder.embed_query_tokens(question)
    gathered = await gather(engine, scope, question, embedding, limit=10, filters=Filters())
    assert gathered
    return gathered
