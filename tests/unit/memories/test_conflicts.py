"""Comparisons of texts with an earlier one, by the real embedding model."""

import asyncio
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.inference.embedder import Embedder
from graph_memory.memories.conflicts import (
    CONFLICTS,
    FEATURES,
    Comparison,
    ConflictModel,
    Kind,
    compare,
    conflict_model,
    differing_spans,
    features,
)
from graph_memory.memories.cues import cues, opposed
from graph_memory.settings.base import read_settings

# The earlier text, then a text of each kind: preferences, software, dates, facts and chat turns.
EXAMPLES: list[tuple[str, dict[str, str]]] = [
    (
        "I like window seats on planes.",
        {
            "repeats": "Please book me a window seat for the flight.",
            "negates": "I don't like window seats anymore.",
            "replaces": "From now on I want an aisle seat when I fly.",
            "adds": "I am allergic to peanuts.",
        },
    ),
    (
        "Ada lives in Berlin.",
        {
            "repeats": "Ada's home is in Berlin.",
            "negates": "Ada does not live in Berlin anymore.",
            "replaces": "Ada lives in Munich now.",
        },
    ),
    (
        "The API listens on port 8080.",
        {
            "repeats": "Port 8080 is the port of the API.",
            "negates": "The API no longer listens on port 8080.",
            "replaces": "The API listens on port 9090.",
            "adds": "Unit tests run with pytest.",
        },
    ),
    (
        "The billing service stores its data in MySQL.",
        {
            "repeats": "MySQL holds the data of the billing service.",
            "negates": "The billing service does not use MySQL.",
            "replaces": "The billing service was migrated to PostgreSQL.",
            "adds": "The frontend is written in TypeScript.",
        },
    ),
    (
        "Feature flag new_checkout is enabled in production.",
        {"negates": "Feature flag new_checkout is disabled in production."},
    ),
    (
        "The meeting with the auditors is on 4 May.",
        {
            "repeats": "We meet the auditors on 4 May.",
            "negates": "The meeting with the auditors was cancelled.",
            "replaces": "The meeting with the auditors is on 11 May instead.",
            "adds": "Bring the printed invoices to the office.",
        },
    ),
    (
        "The deadline of the report is Friday.",
        {
            "repeats": "The report is due on Friday.",
            "negates": "The report has no deadline.",
            "replaces": "The deadline of the report moved to Monday.",
            "adds": "Carla reviews the slides.",
        },
    ),
    (
        "The shop opens at 9 in the morning.",
        {
            "repeats": "Opening time of the shop is 9 am.",
            "negates": "The shop is not open in the morning.",
            "replaces": "The shop now opens at 10 in the morning.",
        },
    ),
    (
        "Invoices are paid within 30 days.",
        {
            "negates": "Invoices are no longer paid within 30 days.",
            "replaces": "Invoices are paid within 14 days.",
        },
    ),
    (
        "Ada: I'm training for the marathon in May.",
        {
            "repeats": "Ada: The marathon in May is what I'm training for.",
            "negates": "Ada: I gave up on the marathon, my knee hurts too much.",
            "replaces": "Ada: I switched to the half marathon instead.",
            "adds": "Ada: My sister visited us last weekend.",
        },
    ),
]

CASES = [(before, new, Kind(kind)) for before, news in EXAMPLES for kind, new in news.items()]

#: Texts with the marks and words that the comparison looks for, and any others.
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["Ada:", "not", "no longer", "tea", "port", "8080", "Bern", "instead", ".", "\n", "’s"]
        ),
        max_size=12,
    ).map(" ".join),
)


@cache
def embedder() -> Embedder:
    """Return the embedder of the tests of this file."""
    return Embedder(read_settings())


def model() -> ConflictModel:
    """Return the coefficients for the default embedding model."""
    found = conflict_model(embedder().model)
    assert found
    return found


@cache
def cosines() -> dict[tuple[str, str], float]:
    """Return the cosine of each example, embedded in one pass."""
    texts = list({text for before, new, _ in CASES for text in (before, new)})
    vectors = asyncio.run(embedder().embed(texts))
    place = {text: i for i, text in enumerate(texts)}
    return {(b, n): float(vectors[place[b]] @ vectors[place[n]]) for b, n, _ in CASES}


def compared(before: str, new: str) -> Comparison:
    """Compare two texts of the examples."""
    return compare(new, before, cosines()[before, new], model())


@pytest.mark.parametrize(("before", "new", "kind"), CASES)
def test_the_kind_of_an_example(before: str, new: str, kind: Kind) -> None:
    assert compared(before, new).kind is kind


@pytest.mark.parametrize(
    ("before", "new", "span_before", "span"),
    [
        ("The API listens on port 8080.", "The API listens on port 9090.", "8080", "9090"),
        ("Ada lives in Berlin.", "Ada lives in Munich now.", "Berlin", "Munich now"),
        ("Tea is hot.", "Tea is not hot.", "Tea is hot", "not"),
        ("Call Bob. The port is 1.", "The port is 2.", "1", "2"),
    ],
)
def test_spans_are_the_parts_that_differ(
    before: str, new: str, span_before: str, span: str
) -> None:
    own, other = differing_spans(new, before)
    assert (before[slice(*other)], new[slice(*own)]) == (span_before, span)


@given(TEXTS, TEXTS)
def test_spans_lie_inside_the_texts(new: str, before: str) -> None:
    for text, (start, end) in zip((new, before), differing_spans(new, before), strict=True):
        assert 0 <= start <= end <= len(text)


@given(TEXTS)
def test_a_sentence_has_the_same_spans_in_both_directions(text: str) -> None:
    sentence = " ".join(text.replace(".", " ").split())
    own, other = differing_spans(sentence, "Ada drinks tea")
    assert differing_spans("Ada drinks tea", sentence) == (other, own)


@given(TEXTS, TEXTS, st.floats(-1, 1))
def test_any_two_texts_can_be_compared(new: str, before: str, cosine: float) -> None:
    result = compare(new, before, cosine, model())
    assert 0.25 <= result.score <= 1
    row = features(cues(new), cues(before), cosine)
    assert row.shape == (len(FEATURES),)
    assert np.isfinite(row).all()


@given(TEXTS, TEXTS)
def test_opposites_are_symmetric(first: str, second: str) -> None:
    own, other = cues(first).every, cues(second).every
    assert opposed(own, other) == opposed(other, own)


@given(TEXTS)
def test_a_text_conflicts_with_itself_never(text: str) -> None:
    assert compare(text, text, 1.0, model()).kind not in CONFLICTS


def test_a_turn_of_another_speaker_adds() -> None:
    new, before = "Bob: I don't drink tea.", "Ada: I drink tea."
    assert compare(new, before, 0.9, model()).kind is Kind.ADDS


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("I do not drink tea, but coffee.", {"drink", "tea"}),
        ("I no longer drink tea.", {"drink", "tea"}),
        ("Use spaces instead of tabs.", {"tabs"}),
        ("We can't avoid tolls.", set[str]()),
    ],
)
def test_a_negation_applies_to_its_clause(text: str, negated: set[str]) -> None:
    read = cues(text)
    assert {w.term for w, n in zip(read.words, read.negated, strict=True) if n} == negated


def test_another_model_has_no_coefficients() -> None:
    assert conflict_model("another-model") is None
