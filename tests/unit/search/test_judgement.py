"""The judgement of the candidates of a question, and the words of its reason."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.domain.models import Known
from graph_memory.errors import InvalidArgumentError
from graph_memory.ranking.assessment import assess
from graph_memory.ranking.candidates import Candidate, Candidates, Query
from graph_memory.ranking.profiles import Profile
from graph_memory.ranking.relevance import Calibration
from graph_memory.ranking.terms import query_terms
from graph_memory.search.judgement import (
    Judgement,
    judge,
    relevance_without_words,
    require_calibration,
)
from graph_memory.settings.base import Settings, read_settings

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = read_settings(data_dir=Path(__file__).parent)  # without calibrations
CALIBRATION = Calibration.packaged()
ORDER = [Known.NO, Known.PERHAPS, Known.YES]

#: Cosines that take a memory far above both limits, between them, or far below.
HIGH, PERHAPS, LOW = 0.9, 0.5, -0.2


def judged(question: str, *cosines: float, lacking: str = "", of: Settings = SETTINGS) -> Judgement:
    """Judge memories that contain every word of a question but the lacking ones."""
    terms = query_terms(question, "english")
    words = [(i, 1.0) for i, term in enumerate(terms) if term not in lacking.split()]
    now = datetime(2026, 6, 1, tzinfo=UTC)
    memories = [Candidate(str(i), cosine, words, "", 10, now) for i, cosine in enumerate(cosines)]
    rarity = [1.0 + len(term) for term in terms]
    query = Query(question, terms, NOW)
    return judge(query, rarity, assess(query, Candidates(rarity, memories, []), of), of)


@pytest.mark.parametrize(
    ("question", "cosine", "lacking", "known", "reason"),
    [
        ("Is it in Lisbon?", LOW, "lisbon", "no", "Nothing found mentions Lisbon."),
        (
            "Did Ada meet Bob in Lisbon or Porto in 1987?",
            LOW,
            "ada bob lisbon porto 1987 meet",
            "no",
            "Nothing found mentions Lisbon, Porto or 1987.",
        ),
        ("which GLUON binds", LOW, "gluon binds", "no", "Nothing found mentions GLUON."),
        ("which gluon binds", LOW, "gluon binds", "no", "Nothing found mentions gluon or binds."),
        (
            "What was on 14 May 2025?",
            LOW,
            "14 may 2025",
            "no",
            "Nothing found mentions 2025 or 14.",
        ),
        ("Lisbon", LOW, "lisbon", "no", "Nothing found mentions Lisbon."),
        (
            "what Ada Byron drinks",
            PERHAPS,
            "byron drinks",
            "perhaps",
            "The best result may bear on the question, but nothing found mentions Byron.",
        ),
        ("drinks", LOW, "", "no", "The best result probably does not bear on the question."),
        ("what Ada drinks", HIGH, "", "yes", "The best result probably bears on the question."),
        (
            "what Ada Byron drinks",
            HIGH,
            "byron",
            "yes",
            "The best result probably bears on the question, but nothing found mentions Byron.",
        ),
        (
            "what Ada drinks",
            HIGH,
            "drinks",
            "yes",
            "The best result probably bears on the question.",
        ),
    ],
)
def test_the_reason_names_the_rarest_words_that_are_missing(
    question: str, cosine: float, lacking: str, known: str, reason: str
) -> None:
    found = judged(question, cosine, lacking=lacking)
    assert (found.known, found.reason) == (known, reason)


def test_between_the_limits_the_answer_is_perhaps() -> None:
    steps = [judged("tea", step / 200) for step in range(200)]
    assert [found.known for found in steps] == sorted(
        (found.known for found in steps), key=lambda known: ORDER.index(known or Known.NO)
    )
    doubtful = next(found for found in steps if found.known is Known.PERHAPS)
    assert doubtful.reason == "The best result may bear on the question."


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8), st.floats(-1, 1))
def test_another_candidate_never_makes_an_answer_less_known(
    cosines: list[float], more: float
) -> None:
    before, after = judged("green tea", *cosines), judged("green tea", *cosines, more)
    assert before.known
    assert after.known
    assert ORDER.index(before.known) <= ORDER.index(after.known)


@given(st.floats(0, 1), st.floats(0, 1))
def test_known_is_monotone_in_the_relevance(one: float, other: float) -> None:
    low, high = sorted((one, other))
    known = [ORDER.index(CALIBRATION.known(best)) for best in (low, high)]
    assert known[0] <= known[1]


@given(st.floats(0, 1) | st.none(), st.floats(0, 1), st.sampled_from([0.0, 1.0]))
def test_a_neighbour_has_the_relevance_of_its_cosine(
    similarity: float | None, unmet: float, unmet_name: float
) -> None:
    found = relevance_without_words(similarity, Judgement(unmet=(unmet, unmet_name)), SETTINGS)
    assert found is not None
    assert 0 <= found <= 1
    assert found <= (relevance_without_words(1.0, Judgement(), SETTINGS) or 0)


def test_a_model_without_a_calibration_judges_nothing_and_shows_how_to_make_one() -> None:
    other = SETTINGS.model_copy(update={"embedding_model": "another"})
    found = judged("tea", HIGH, of=other)
    assert found.known is None
    assert "graph_memory.evaluation.calibrate" in (found.reason or "")
    assert relevance_without_words(0.5, found, other) is None
    require_calibration(0.0, Profile.RECALL, other)
    require_calibration(0.5, Profile.RECALL, SETTINGS)
    for profile, of, what in (
        (Profile.RECALL, other, "calibrate"),
        (Profile.WEIGHTED, SETTINGS, "recall"),
    ):
        with pytest.raises(InvalidArgumentError, match=what) as caught:
            require_calibration(0.5, profile, of)
        assert caught.value.argument == "min_relevance"


@pytest.mark.parametrize(
    "time", ["in June 2026", "on 1 June 2026", "in 2026", "on 2026-06-01", "today", "last week"]
)
def test_a_memory_of_the_time_that_a_question_names_meets_its_words(time: str) -> None:
    question = f"What did Ada drink {time}?"
    words = " ".join(query_terms(time, "english"))
    of_then = judged(question, 0.3, lacking=words)
    assert of_then == judged(question, 0.3)
    assert of_then.unmet == (0.0, 0.0)
    other = judged(question.replace("2026", "2019"), 0.3, lacking=f"{words} 2019")
    assert (other.unmet[0] > 0.1) == ("2026" in time)
    assert other.unmet[1] == 0  # words for a time are not names
