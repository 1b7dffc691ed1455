"""The part of a prompt by which hooks find memories."""

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.search.injection import question_of

LONGEST = 2000
WORDS = st.lists(
    st.one_of(
        st.text("abc/._-:é", min_size=1, max_size=40),
        st.uuids().map(str),
        st.just("/srv/notes/2026-11-25/tea-of-ada.md"),
    ),
    min_size=1,
    max_size=200,
)


@given(WORDS, st.sampled_from([" ", "\n", " \t "]))
def test_a_long_prompt_is_cut_between_words(words: list[str], gap: str):
    prompt = gap.join(words * (1 + 2 * LONGEST // len(gap.join(words))))
    question = question_of(prompt)
    assert 0 < len(question) <= LONGEST
    assert prompt.startswith(question)
    assert question.split() == (words * len(prompt))[: len(question.split())]


@given(st.text(max_size=LONGEST))
def test_a_short_prompt_is_the_question(prompt: str):
    assert question_of(prompt) == prompt


def test_a_prompt_of_one_long_word_is_cut_inside_it():
    assert question_of("x" * 3000) == "x" * LONGEST
