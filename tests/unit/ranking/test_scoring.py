"""The default ranking, without a database: the effect of each measure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest

from graph_memory.ranking.assessment import CERTAIN_RELEVANCE, assess
from graph_memory.ranking.candidates import Candidate, Candidates, Part, Query
from graph_memory.ranking.late_interaction import (
    WIDTH,
    Tokens,
    max_sim,
    project_tokens,
    quantize_tokens,
    query_token_vectors,
)
from graph_memory.ranking.scoring import RankedCandidate, Ranking, first_ranking, rank
from graph_memory.settings.base import Settings, read_settings

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = read_settings()


def candidate(name: str, cosine: float = 0.5, **changes: object) -> Candidate:
    details: dict[str, object] = {
        "words": [],
        "lead": "a plain statement.",
        "characters": 100,
        "told_at": NOW,
    } | changes
    return Candidate(memory_id=name, cosine=cosine, **details)  # type: ignore[arg-type]


def ranked(
    question: str,
    memories: Sequence[Candidate],
    *,
    links: Sequence[tuple[str, str]] = (),
    cosines: Mapping[str, float] | None = None,
    cross_scores: Mapping[str, float] | None = None,
    **settings: float,
) -> list[RankedCandidate]:
    """Rank memories; `cosines` are those of their one token with the one token of the question."""
    one = Tokens(np.array([[0, 1]], dtype=np.int32), np.eye(1, WIDTH, dtype=np.float32))
    ranking = ranking_of(
        Query(question, ["first", "second"], NOW, None if cosines is None else one),
        Candidates([2.0, 1.0], list(memories), list(links)),
        {memory_id: whole(token_of(cosine)) for memory_id, cosine in (cosines or {}).items()},
        cross_scores,
        **settings,
    )
    return ranking.results(50)


def ranking_of(
    query: Query,
    candidates: Candidates,
    parts: Mapping[str, Part],
    cross_scores: Mapping[str, float] | None = None,
    **changes: float,
) -> Ranking:
    settings = SETTINGS.model_copy(update=changes)
    first = first_ranking(query, candidates, assess(query, candidates, settings), settings)
    return rank(first, query, candidates, parts, limit=50, cross_scores=cross_scores)


def whole(vectors: bytes) -> Part:
    """Return a short memory as its only part."""
    return Part(None, None, vectors)


def token_of(cosine: float) -> bytes:
    """Return a stored token vector that has a cosine with the first axis."""
    vector = np.zeros(WIDTH)
    vector[:2] = cosine, np.sqrt(1 - cosine**2)
    return np.rint(127 * vector / np.abs(vector).max()).astype(np.int8).tobytes()


def order(question: str, *memories: Candidate, links: Sequence[tuple[str, str]] = ()) -> list[str]:
    return [r.memory.memory_id for r in ranked(question, memories, links=links)]


def test_neighbours_in_a_conversation_count_the_less_the_farther() -> None:
    saying = candidate("saying", lead="My car.", words=[(0, 2.0)])
    answer = candidate("answer")
    later = candidate("later")
    elsewhere = candidate("elsewhere")
    assert order(
        "the car",
        elsewhere,
        later,
        answer,
        saying,
        links=[("saying", "answer"), ("answer", "later")],
    )[1:] == ["answer", "later", "elsewhere"]
    assert order("the car", elsewhere, answer, saying)[1:] == ["answer", "elsewhere"]


def test_a_short_answer_counts_as_containing_its_question() -> None:
    asking = candidate("asking", lead="Which car?", words=[(0, 2.0)])
    remark = candidate("remark", lead="A car!", words=[(0, 2.0)])
    answer, long_answer = candidate("answer"), candidate("long answer", characters=501)

    def said(first: Candidate, then: Candidate) -> tuple[float | None, float | None]:
        links = [(first.memory_id, then.memory_id)]
        cosines = {first.memory_id: 0.8, then.memory_id: 0.0}
        found = ranked("car", [first, then], links=links, cosines=cosines)
        of = {r.memory.memory_id: r.components for r in found}[then.memory_id]
        return of["text"], of["late"]

    assert said(asking, answer) == (1, 1)
    assert said(remark, answer) == pytest.approx((220 / 320, 220 / 320))
    assert said(asking, long_answer) == pytest.approx((220 / 520.5, 220 / 520.5))


@pytest.mark.parametrize("conversation", ["chat", None])
def test_a_memory_of_the_same_sitting_as_the_best_counts(conversation: str | None) -> None:
    told = [
        candidate("best", 0.9, conversation_id=conversation),
        candidate("same sitting", 0.5, conversation_id=conversation),
        candidate(
            "an hour on", 0.5, told_at=NOW + timedelta(hours=1), conversation_id=conversation
        ),
        candidate("another's", 0.5, conversation_id="other"),
    ]
    alone = {r.memory.memory_id: r.score for r in ranked("x", told, recall_sitting_weight=0)}
    found = ranked("x", told)
    sitting = {r.memory.memory_id: r.components["sitting"] for r in found}
    own = alone["an hour on"] / alone["best"]
    assert own > 0.5
    assert sitting == pytest.approx(
        {"best": 1, "same sitting": 1, "an hour on": own, "another's": own}
    )
    weight = 4 * 140 / (140 + 100)
    for hit in found:
        so_far = alone[hit.memory.memory_id] * 3.6
        together = so_far + weight * (hit.components["sitting"] or 0)
        assert hit.score == pytest.approx(together / (3.6 + weight))


def test_one_or_two_hundred_characters_have_the_best_form() -> None:
    lengths = [5, 50, 150, 1000, 5000]
    told = [candidate(str(length), characters=length) for length in lengths]
    asking = candidate("asking", characters=300, lead="Is it so?")
    form = {r.memory.memory_id: r.components["form"] for r in ranked("x", [*told, asking])}
    assert max(form, key=lambda name: form[name] or 0) == "150"
    assert form["50"] == pytest.approx((1 - 70 / 190) * 700 / 750)
    assert form["asking"] == pytest.approx((1 - 140 / 440) * 700 / 1000)


def test_a_memory_of_the_one_speaker_that_a_question_names_counts() -> None:
    ada = candidate("ada", lead="Ada: I drink tea.")
    bob = candidate("bob", lead="Bob: Ada, I drink tea.")
    none = candidate("none", lead="At 12:30 Ada drinks tea.")

    def measured(question: str) -> dict[str, float | None]:
        found = ranked(question, [ada, bob, none])
        return {r.memory.memory_id: r.components.get("speaker") for r in found}

    assert measured("What does ada drink?") == {"ada": 1, "bob": 0, "none": 0}
    for unclear in ("What do Ada and Bob drink?", "What does Cleo drink?", "What is drunk?"):
        assert measured(unclear) == {"ada": None, "bob": None, "none": None}


def test_the_period_of_a_question_and_a_mentioned_time_count() -> None:
    then = candidate("then", told_at=datetime(2023, 5, 9, tzinfo=UTC))
    now = candidate("now", told_at=NOW)
    assert order("what happened in May 2023?", now, then)[0] == "then"
    assert order("what happened?", now, then)[0] == "now"
    dated = candidate("dated", lead="it was last week.")
    assert order("when was it?", now, dated)[0] == "dated"


def test_a_long_memory_is_ranked_by_its_content_alone() -> None:
    """Form and context, which matter among short turns, do not distinguish long messages."""
    long = [candidate(n, characters=20_000, lead="...?" if n == "b" else "....") for n in "ab"]
    a, b = ranked("x", long, links=[("a", "b")])
    assert a.score - b.score < 0.001


def test_an_exact_match_stays_first_whatever_favours_others() -> None:
    """The best meaning, words and late interaction weigh 3 of 4.9; the rest favours the others.

    With all words of the question the match mentions the time as well, which counts by half. The
    others share one sitting besides, in which each has the score of their best.
    """
    lead = "Ada in May 2023?"
    exact = candidate("exact", 0.95, words=[(0, 2.0), (1, 1.0)], lead=lead, characters=4)
    near = [
        candidate(
            f"near{i}",
            0.6,
            words=[(0, 1.0)],
            lead="Ada: It was in May 2023.",
            characters=900,
            told_at=datetime(2023, 5, 9, tzinfo=UTC),
            conversation_id="chat",
        )
        for i in range(20)
    ]
    cosines = {"exact": 0.9} | {memory.memory_id: 0.6 for memory in near}
    first, second, *_ = ranked("Ada in May 2023?", [*near, exact], cosines=cosines)
    assert first.memory.memory_id == "exact"
    assert first.score - second.score > 0.05


def test_a_cross_encoder_orders_the_best_and_keeps_the_rest_below_in_order() -> None:
    found = [candidate(str(i), 0.9 - i / 10) for i in range(8)]
    before = ranked("x", found, recall_sitting_weight=0)
    cross_scores = {"0": 0.01, "1": 0.02, "2": 0.08, "3": 0.0}
    after = ranked("x", found, cross_scores=cross_scores, recall_sitting_weight=0)
    assert [r.memory.memory_id for r in after] == ["2", "1", "0", "3", "4", "5", "6", "7"]
    assert [r.components["cross"] for r in after] == [1, 0.25, 0.125, 0, 0, 0, 0, 0]
    assert all(first.score >= second.score for first, second in pairwise(after))
    for old, new in zip(before[4:], after[4:], strict=True):
        assert new.score == pytest.approx(old.score * 3.6 / (3.6 + 2))
    assert "cross" not in before[0].components


def test_late_interaction_is_the_weighted_mean_of_the_best_matches() -> None:
    rng = np.random.default_rng(1)
    texts = ["green tea and", "the cat"]
    spans = [[(0, 0), (0, 5), (6, 9), (10, 13)], [(0, 3), (4, 7)]]
    read = [project_tokens(s, rng.normal(size=(len(s), 384)).astype(np.float32)) for s in spans]
    packs = [
        quantize_tokens(text, tokens, "english") for text, tokens in zip(texts, read, strict=True)
    ]
    assert [len(pack) // WIDTH for pack in packs] == [2, 1]
    vectors, weights = query_token_vectors(
        "green tea and", read[0], ["green", "tea"], [4.0, 1.0], "english"
    )
    assert weights == pytest.approx([8 / 9, 1 / 9])  # 4^1.5 to 1
    _, cut = query_token_vectors("green tea", read[0], ["green", "tea"], [4.0, -0.1], "english")
    assert cut.tolist() == [1, 0]
    own, other, none = max_sim(vectors, [*packs, b""])
    assert own == pytest.approx(1, abs=1e-3)
    assert other == pytest.approx(np.maximum(0, vectors @ read[1].vectors[1]), abs=1e-2)
    assert none.tolist() == [0, 0]
    memories = [candidate(name) for name in ("own", "other", "none")]
    found = ranking_of(
        Query("green tea and", ["green", "tea"], NOW, read[0]),
        Candidates([4.0, 1.0], memories, []),
        {"own": whole(packs[0]), "other": whole(packs[1])},
    ).results(3)
    late = {r.memory.memory_id: r.components["late"] for r in found}
    share = float(weights @ other) / float(weights @ own)
    assert late == {"own": 1, "other": pytest.approx(share, abs=1e-6), "none": 0}
    vectors, weights = query_token_vectors(
        "and the",
        project_tokens([(0, 3), (4, 7)], np.eye(2, 384, dtype=np.float32)),
        [],
        [],
        "english",
    )
    assert weights.tolist() == [0.5, 0.5]


def test_projected_vectors_keep_their_angles() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(200, 384)).astype(np.float32)
    rows[1:100] += rows[0]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    small = project_tokens([(i, i + 1) for i in range(200)], rows).vectors
    errors = np.abs(small @ small[0] - rows @ rows[0])
    assert small.shape == (200, WIDTH)
    assert errors.mean() < 0.12


def test_a_long_memory_is_scored_by_its_passage() -> None:
    one = Tokens(np.array([[0, 1]], dtype=np.int32), np.eye(1, WIDTH, dtype=np.float32))
    passage = Part(100, 200, token_of(0.9))
    memories = [candidate("long", part=passage), candidate("short")]
    parts = {"long": passage, "short": whole(token_of(0.45))}
    ranking = ranking_of(Query("x", [], NOW, one), Candidates([2.0], memories, []), parts)
    of = {result.memory.memory_id: result for result in ranking.results(2)}
    assert of["long"].passage == (100, 200)
    assert of["short"].passage is None
    assert of["long"].components["late"] == 1
    assert of["short"].components["late"] == pytest.approx(0.5, abs=0.01)


def test_without_token_vectors_a_long_memory_has_its_passage() -> None:
    candidates = Candidates([2.0], [candidate("long", part=Part(100, 200, None))], [])
    (found,) = ranking_of(Query("x", [], NOW), candidates, {}).results(2)
    assert found.passage == (100, 200)


def test_a_quotation_and_a_phrase_rank_and_only_a_quotation_raises_the_relevance() -> None:
    query = Query("a b", ["a", "b"], NOW, phrases=["a b"], quotation="a b c")
    assert query.lookups == ["a", "b", "a b", "a b c"]
    words = [(0, 1.0), (1, 1.0)]
    memories = [
        candidate("words", 0.1, words=words),
        candidate("phrase", 0.1, words=[*words, (2, 1.0)]),
        candidate("quotation", 0.1, words=[*words, (2, 1.0), (3, 1.0)]),
    ]
    found = ranking_of(query, Candidates([1.0] * 4, memories, []), {}).results(3)
    assert [each.memory.memory_id for each in found] == ["quotation", "phrase", "words"]
    assert found[0].relevance == CERTAIN_RELEVANCE
    assert found[1].relevance == found[2].relevance
    assert (found[1].relevance or 0) < CERTAIN_RELEVANCE


def test_a_quotation_letter_by_letter_comes_before_other_forms_of_its_words() -> None:
    question = "metrics are independent of scales"
    query = Query(question, ["metric"], NOW, quotation=question)
    words = [(0, 1.0), (1, 1.0)]
    memories = [
        candidate("near", 0.9, lead="A metric is independent of scales.", words=words),
        candidate("exact", 0.1, lead="These Metrics are independent of  scales.", words=words),
        candidate("other", 0.9, words=words[:1]),
    ]
    found = ranking_of(query, Candidates([1.0] * 2, memories, []), {}).results(3)
    assert [each.memory.memory_id for each in found] == ["exact", "near", "other"]
    assert [each.components["quotation"] for each in found] == [1.0, 0.5, 0.0]


#: Learned weights with which the longest memory is the best.
FOR_LENGTH = {"recall_form_weight": 90.0, "recall_sitting_weight": 0.0}


def of_three(question: Query, learned: Mapping[str, float], **changes: float) -> list[str]:
    """Return the order of three memories, of which the last is least near and has the best form."""
    given = [(0.9, 5), (0.8, 20), (0.1, 150)]
    memories = [candidate(f"{n}", cosine, characters=n) for cosine, n in given]
    candidates, settings = Candidates([2.0, 1.0], memories, []), SETTINGS.model_copy(update=changes)
    first = first_ranking(question, candidates, assess(question, candidates, settings), settings)
    ranking = rank(first, question, candidates, {}, limit=2, learned=learned)
    return [each.memory.memory_id for each in ranking.results(3)]


def test_learned_weights_order_the_shortlist_and_do_not_choose_it() -> None:
    token = Tokens(np.array([[0, 1]], dtype=np.int32), np.eye(1, WIDTH, dtype=np.float32))
    question = Query("x", ["first", "second"], NOW, token)
    assert of_three(question, {}, recall_late_candidates=2) == ["5", "20"]
    assert of_three(question, FOR_LENGTH, recall_late_candidates=2) == ["20", "5"]
    assert of_three(question, {}, recall_late_candidates=2, **FOR_LENGTH) == ["150", "20"]
    assert of_three(question, FOR_LENGTH, recall_late_candidates=3) == ["150", "20", "5"]


def test_learned_weights_count_as_the_same_weights_in_the_settings() -> None:
    question = Query("when was it?", ["first", "second"], NOW, None)
    learned = {"recall_vector_weight": 0.8, "recall_time_weight": 0.1, **FOR_LENGTH}
    memories = [candidate(f"{n}", n / 10, characters=30 * n) for n in range(1, 9)]
    candidates = Candidates([2.0, 1.0], memories, [])

    def scores(settings: Settings, learned: Mapping[str, float]) -> list[float]:
        assessed = assess(question, candidates, settings)
        first = first_ranking(question, candidates, assessed, settings)
        return rank(first, question, candidates, {}, limit=9, learned=learned).scores().tolist()

    configured = SETTINGS.model_copy(update=learned)
    assert scores(SETTINGS, learned) == pytest.approx(scores(configured, {}))
