"""Query terms of a question, and their Lucene queries."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.encoding import group_key
from graph_memory.ranking.terms import (
    MAX_PHRASES,
    MAX_TERMS,
    any_term_query,
    content_terms,
    content_words,
    names,
    query_phrases,
    query_terms,
    quotation,
    tag_query,
    term_queries,
)

CLAUSES = r'(?:(?:content|tags):"[^"\\]+" ?)+'
SAFE = re.compile(rf"\+group_key:\d+\^0 \+\({CLAUSES}\)")


def words(question: str, analyzer: str = "english") -> list[str]:
    return query_terms(question, analyzer)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did Caroline go to the support group?", ["caroline", "support", "group", "go"]),
        ("What is it?", []),
        ("?!", []),
        ("AND OR NOT", []),
        ("group_id:other OR content:[a TO z]", ["group_id:other", "content", "z"]),
        ("tea tea TEA", ["tea"]),
    ],
)
def test_only_content_words_are_query_terms(question: str, expected: list[str]) -> None:
    assert words(question) == expected


def test_other_analysers_keep_every_word() -> None:
    assert words("the who", "swedish") == ["the", "who"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user_id", ["user_id"]),
        ("see [2]_ or __init__, __", ["see", "2", "__init__"]),
        ("GRAPH_MEMORY_PORT=1", ["graph_memory_port", "1"]),
        ("v1.2.3, 1,000.5", ["v1.2.3", "1,000.5"]),
        ("O'Brien O’Brien", ["o'brien", "o’brien"]),
        ("src/app/main.py", ["src", "app", "main.py"]),
        ("a.b1@example.com", ["a.b1", "example.com"]),
        ("Ada's Ada’s they'll don't can’t", ["ada"]),
        ("y'all", ["y'all"]),
        ("end.", ["end"]),
        ("10:30", ["10", "30"]),
        ("我住在柏林", ["我住", "住在", "在柏", "柏林"]),
        ("我", ["我"]),
        ("Python的代码", ["python", "的代", "代码"]),
        ("東京タワー", ["東京", "タワー"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("كتابُ", ["كتابُ"]),
        ("할머니는", ["할머니는"]),
        ("naïve na\u0308ive", ["naïve", "na\u0308ive"]),
    ],
)
def test_words_end_where_the_index_ends_them(text: str, expected: list[str]) -> None:
    found = dict.fromkeys(word.term for word in content_words(text, "english"))
    assert sorted(found) == sorted(expected)


@given(
    st.one_of(
        st.text(),
        st.text(st.characters(codec="ascii")),
        st.lists(
            st.sampled_from(
                ("Ada'll", "they've", "don't", "O'Brien", "'tis", "The", "v1.2", "ＡI", "東京")
            )
        ).map(" ".join),
    ),
    st.sampled_from(("english", "swedish", "")),
)
def test_content_terms_are_those_of_the_content_words(text: str, analyzer: str) -> None:
    assert content_terms(text, analyzer) == {w.term for w in content_words(text, analyzer)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is src/app/main.py?", ["src app main.py"]),
        ("Mail to ada@example.com", ["ada example.com"]),
        ("See https://example.com/a-b?x=1.", ["https example.com a b x 1"]),
        ("Was it COVID-19 or a long-term cold?", ["covid 19"]),
        ('Who said "not to be a king"?', ["not to be a king"]),
        ('Who said "to be or not to be"?', []),
        ("What is `git rebase -i`?", ["git rebase i"]),
        ("Ada met Bob", []),
        ("an e.g. of user_id", []),
        ('"tea"', []),
        ("„rote Katze“ und „blaue Maus”", ["rote katze", "blaue maus"]),
        ("»rote Katze« und »blaue Maus«", ["rote katze", "blaue maus"]),
        ("‚rote Katze‘ und ›blaue Maus‹", ["rote katze", "blaue maus"]),
        ("« chat rouge » et ‹souris bleue›", ["chat rouge", "souris bleue"]),
        ("誰が「東京タワー」と『山』", ["東京 タワー"]),
        ("谁写了《红楼梦》", ["红楼梦"]),
        ("“chat rouge” and it’s ‘souris bleue’", ["chat rouge"]),
        ("and/or", []),
    ],
)
def test_phrases_are_what_a_question_spells_as_one(question: str, expected: list[str]) -> None:
    assert query_phrases(question, "english") == expected


def test_a_question_of_five_content_words_may_be_a_quotation() -> None:
    assert quotation("the red fox jumps over a lazy dog", "english") == (
        "the red fox jumps over a lazy dog"
    )
    assert quotation("the red fox jumps over it", "english") is None
    assert quotation("red " * 200, "english") is None


def test_a_question_with_a_question_mark_is_not_a_quotation() -> None:
    assert quotation("did the red fox jump over a lazy dog? ", "english") is None


def test_the_span_of_a_word_ends_before_its_ending() -> None:
    assert content_words("Ada's cat", "english") == [("ada", 0, 3), ("cat", 6, 9)]


def test_identifiers_are_names() -> None:
    assert names("where is user_id set", "english") == {"user_id": "user_id"}


def test_both_apostrophes_are_looked_up() -> None:
    (lookup,) = term_queries(["o'brien"], "g")
    assert 'content:"o\'brien"' in lookup
    assert 'content:"o’brien"' in lookup


@given(st.text(max_size=2000))
def test_spans_are_those_of_the_words(text: str) -> None:
    for word, start, end in content_words(text, "standard"):
        assert 0 <= start < end <= len(text)
        assert word == text[start:end].lower()


@given(st.text(max_size=2000))
def test_no_question_can_act_as_syntax(question: str) -> None:
    phrases = query_phrases(question, "english")
    whole = quotation(question, "english")
    terms = [*query_terms(question, "english"), *phrases, *([whole] if whole else [])]
    made = term_queries(terms, "g")
    assert len(phrases) <= MAX_PHRASES
    assert len(made) <= MAX_TERMS + MAX_PHRASES + 1
    assert all(SAFE.fullmatch(lookup) for lookup in made)
    assert all(group_key("g") in lookup for lookup in made)
    either = any_term_query(question, "g", ("content", "tags"))
    assert either == "-*:*" or SAFE.fullmatch(either)


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        (["money"], ["money"]),
        (["blue-harbor", "café bar"], ["harbor", "bar"]),
        (["user_id"], ["user_id"]),
        (['say "AND (x'], ["say"]),
        (["project42"], ["project42"]),
    ],
)
def test_a_tag_is_looked_up_by_a_word_that_the_index_keeps(
    tags: list[str], words: list[str]
) -> None:
    clauses = " ".join(f'tags:"{word}"' for word in words)
    expected = f"+group_key:{group_key('g')}^0 +({clauses})"
    assert tag_query(tags, "g", "english") == tag_query(tags, "g", "standard") == expected


@pytest.mark.parametrize("tag", ["the", "42", "true", "NaN", "über", "日本語", "🦜", "v1.2.3", ""])
def test_a_tag_without_such_a_word_has_no_query(tag: str) -> None:
    assert tag_query(["money", tag], "g", "english") is None


def test_a_tag_has_no_query_if_the_analyser_is_not_known() -> None:
    assert tag_query(["money"], "g", "cjk") is None
