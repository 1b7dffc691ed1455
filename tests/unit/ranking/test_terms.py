"""Query terms of a question, and their Lucene queries."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.encoding import group_key
from graph_memory.ranking.terms import MAX_TERMS, query_terms, term_queries

SAFE = re.compile(r"\+group_key:\d+\^0 \+\(content:\w+ tags:\w+\)")


def words(question: str, analyzer: str = "english") -> list[str]:
    return query_terms(question, analyzer)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did Caroline go to the support group?", ["caroline", "support", "group", "go"]),
        ("What is it?", []),
        ("?!", []),
        ("AND OR NOT", []),
        ("group_id:other OR content:[a TO z]", ["group_id", "content", "z"]),
        ("tea tea TEA", ["tea"]),
    ],
)
def test_only_content_words_are_query_terms(question: str, expected: list[str]) -> None:
    assert words(question) == expected


def test_other_analysers_keep_every_word() -> None:
    assert words("the who", "swedish") == ["the", "who"]


@given(st.text(max_size=2000))
def test_no_question_can_act_as_syntax(question: str) -> None:
    made = term_queries(query_terms(question, "english"), "g")
    assert len(made) <= MAX_TERMS
    assert all(SAFE.fullmatch(lookup) for lookup in made)
    assert all(group_key("g") in lookup for lookup in made)
