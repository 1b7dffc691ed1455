"""Names are found as whole words, whatever their case, accents and what stands between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.names import Names, name_words
from graph_memory.domain.receipts import spelled_out


def found(name: str, text: str) -> bool:
    return bool(Names([name_words(name)]).held(name_words(text)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Anna Meier", "ANNA MEIER's tea"),
        ("Anna Meier", "Write to anna.meier@example.org"),
        ("Anna Meier", "the file anna_meier.txt"),
        ("Anna Meier", "Anna\u00a0\n Meier"),
        ("Anna Meier", "An\u00adna Mei\u200ber"),
        ("José Núñez", "jose nunez called"),
        ("Jose Nunez", "Jose\u0301 Nu\u0301n\u0303ez called"),
        ("Strauß", "STRAUSS"),
        ("İpek", "ipek"),
        ("安娜", "昨天安娜来了"),
        ("राम", "मैं राम से मिला"),
        ("ガ", "ガ"),
        ("한나", "어제 한나 왔다"),
        ("שלום", "שָׁלוֹם"),
        ("O'Brien", "o’brien"),
    ],
)
def test_a_name_is_found(name: str, text: str):
    assert found(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann", "Anna"),
        ("Anna Meier", "Anna and Meier"),
        ("Anna Meier", "Meier Anna"),
        ("Anna Meier", "Anna Meiers"),
        ("राम", "रामा"),
        ("カ", "ガ"),
        ("Ada", ""),
        ("", "Ada"),
        ("…", "Ada …"),
    ],
)
def test_what_is_another_name_is_not_found(name: str, text: str):
    assert not found(name, text)


@given(st.text(), st.text(), st.text())
def test_a_name_between_spaces_is_always_found(before: str, name: str, after: str):
    assert found(name, f"{before} {name} {after}") == bool(name_words(name))
    assert name_words(name) == name_words(name.swapcase()) or not name.isascii()


@given(st.lists(st.text(alphabet="ab", min_size=1), max_size=4), st.integers(0, 3))
def test_all_names_of_a_text_are_found(words: list[str], length: int):
    parts = [tuple(words[at : at + length]) for at in range(len(words) - length + 1) if length]
    assert Names([*parts, ("c",), ()]).held(words) == set(parts)


def test_escapes_of_json_hide_no_word():
    text = '{"title": "Anna\\nMeier", "tags": ["a\\"b", {"\\u0041da": 1}]}'
    assert "Anna\nMeier" in spelled_out(text)
    assert "Ada" in spelled_out(text)
    assert spelled_out(text).startswith(text)
    for plain in ('{"a": "b"}', "a \\n b", '{"broken\\n', "[\\n"):
        assert spelled_out(plain) == plain
