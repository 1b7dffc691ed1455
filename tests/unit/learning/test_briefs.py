"""A brief is the sentences that answers voted for, as places in the text."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from graph_memory.domain.briefs import Brief, brief_json, brief_of, joined
from graph_memory.domain.passages import Passage, sentences
from graph_memory.learning.briefs import brief_for
from graph_memory.settings.base import Settings, read_settings

SENTENCES = (
    "The key hangs behind the stove.",
    "Bread is baked on Fridays.",
    "The gardener comes in March.",
    "Wood for the stove lies in the shed, under the old blue canvas, next to the ladder.",
    "The neighbours feed the cat.",
)
TEXT = "\n\n".join(SENTENCES)
WHOLE = (0, len(TEXT))


def settings(least: int = 1, most: int = 80) -> Settings:
    changes = {"brief_min_answers": least, "brief_max_tokens": most}
    return read_settings().model_copy(update=changes)


def texts(brief: Brief | None, text: str = TEXT) -> list[str]:
    return [part.text for part in brief.parts(text)] if brief else []


def answers(*questions: str, span: tuple[int, int] = WHOLE) -> list[tuple[str, tuple[int, int]]]:
    return [(question, span) for question in questions]


def test_each_answer_votes_for_the_sentence_with_the_rarest_words_asked_for() -> None:
    asked = answers("where does the key hang?", "when is bread baked?", "baked bread")
    brief = brief_for(TEXT, asked, settings())
    assert texts(brief) == [f"{SENTENCES[0]}\n\n{SENTENCES[1]}"]
    assert brief is not None
    assert brief.answers == 3
    assert texts(brief_for(TEXT, asked, settings(most=20))) == texts(brief)
    assert texts(brief_for(TEXT, answers(*("baked bread",) * 2, "key"), settings(most=8))) == [
        SENTENCES[1]
    ]


def test_a_sentence_beyond_the_passage_that_was_delivered_gets_no_vote() -> None:
    start = TEXT.index(SENTENCES[3])
    asked = answers("the stove", span=(start, start + len(SENTENCES[3])))
    assert texts(brief_for(TEXT, asked, settings())) == [SENTENCES[3]]
    assert texts(brief_for(TEXT, answers("the stove"), settings())) == [SENTENCES[0]]


@pytest.mark.parametrize(
    "asked",
    [
        answers("where is the lighthouse?"),
        answers("", "the"),
        answers("key", span=(0, 0)),
        answers("key", span=(10**9, 10**9)),
    ],
    ids=["no word", "no content word", "no passage", "beyond the text"],
)
def test_an_answer_without_a_common_word_gives_no_brief(
    asked: list[tuple[str, tuple[int, int]]],
) -> None:
    assert brief_for(TEXT, asked, settings()) is None


def test_too_few_votes_give_no_brief() -> None:
    assert brief_for(TEXT, answers(*["key"] * 4), settings(least=5)) is None
    assert brief_for(TEXT, answers(*["key"] * 5), settings(least=5)) is not None
    assert brief_for(TEXT, answers(*["ladder"] * 9), settings(most=10)) is None


@hypothesis_settings(deadline=None)
@given(
    asked=st.lists(st.sampled_from(SENTENCES), max_size=12),
    most=st.integers(1, 60),
)
def test_a_brief_is_exact_fits_and_does_not_depend_on_the_order_of_answers(
    asked: list[str], most: int
) -> None:
    brief = brief_for(TEXT, answers(*asked), settings(most=most))
    assert brief_for(TEXT, answers(*reversed(asked)), settings(most=most)) == brief
    told = texts(brief)
    assert all(text in TEXT for text in told)
    whole = [part.text for text in told for part, _ in sentences(text)]
    assert set(whole) <= set(asked)
    assert sum(tokens for text in told for _, tokens in sentences(text)) <= most
    assert brief_of(brief_json(brief)) == brief
    if brief:
        assert brief.parts(TEXT + " ") == ()
        assert joined(brief.parts(TEXT)) == " … ".join(told)


@pytest.mark.parametrize("stored", ["", "nonsense", "{}", "[1]", 7, None, '{"spans": [[1, 2]]}'])
def test_a_damaged_brief_is_none(stored: object) -> None:
    assert brief_of(stored) is None


def test_sentences_are_the_text_without_the_white_space_between() -> None:
    assert [part for part, _ in sentences(TEXT)] == [
        Passage(TEXT.index(each), TEXT.index(each) + len(each), each) for each in SENTENCES
    ]
