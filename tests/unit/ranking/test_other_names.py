"""The other names that also meet the words of a question."""

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.ranking.other_names import MAX_NAMES, NO_NAMES, other_names
from graph_memory.ranking.terms import term_queries

NAMES = other_names(
    [
        ["bob", "robert brown"],
        ["robert brown", "r. brown"],
        ["alice smith", "alice.smith@example.org"],
    ],
    "english",
)


def of(question: str) -> dict[str, list[str]]:
    return NAMES.of_terms(question, "english")


def test_each_word_of_a_name_is_met_by_the_other_names():
    assert of("What did Bob eat?") == {"bob": ["r brown", "robert brown"]}
    assert of("is Robert Brown there?") == {
        "robert": ["bob", "r brown"],
        "brown": ["bob", "r brown"],
    }
    assert of("mail to alice.smith@example.org") == {
        "alice.smith": ["alice smith"],
        "example.org": ["alice smith"],
    }


def test_a_part_of_a_name_and_other_words_stay_alone():
    assert of("What did Robert eat? Brown bread, and smith's ham") == {}
    assert NO_NAMES.of_terms("What did Bob eat?", "english") == {}
    assert other_names([["the", "of"]], "english").of_terms("the of", "english") == {}


def test_the_query_of_a_term_finds_the_other_names():
    (query,) = term_queries(["bob"], "g", of("Bob"))
    assert 'content:"bob"' in query
    assert 'content:"robert brown"' in query
    assert term_queries(["bob"], "g") == term_queries(["bob"], "g", {"eve": ["ada"]})


@given(st.lists(st.lists(st.text("abc ", max_size=5), min_size=2, max_size=2), max_size=30))
def test_names_are_bounded_and_symmetric(pairs: list[list[str]]):
    names = other_names(pairs, "english").names
    for name, others in names.items():
        assert len(others) <= MAX_NAMES
        assert " ".join(name) not in others
        for other in others:
            back = names[tuple(other.split())]
            assert " ".join(name) in back or len(back) == MAX_NAMES
