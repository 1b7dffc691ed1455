"""Passages of long texts."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain import passages
from graph_memory.domain.passages import LONGEST, Passage, split

#: Texts of every Unicode plane, in sentences, lines, headings and blocks of code.
_PIECES = st.one_of(
    st.text(min_size=1, max_size=400),
    st.text("ab .!?\n", min_size=1, max_size=400),
    st.sampled_from(
        [
            "# Title\n",
            "```\nlet x = 1;\nx += 1;\n```\n",
            "日本語です。",
            "مرحبا بالعالم. ",
            "e\u0301",
            "👩‍🚀 ",
        ]
    ).map(lambda piece: piece * 20),
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)


@given(_TEXTS)
def test_passages_are_parts_of_the_text_of_bounded_length(text: str) -> None:
    for passage in split(text):
        assert passage.text == text[passage.start : passage.end] == passage.text.strip()
        assert 0 < passages._count(passage.text) <= LONGEST


@given(_TEXTS)
def test_passages_contain_all_of_a_long_text_in_order(text: str) -> None:
    found = split(text)
    if passages._count(text) <= LONGEST:
        assert found == []
        return
    covered = {i for passage in found for i in range(passage.start, passage.end)}
    assert all(i in covered or character.isspace() for i, character in enumerate(text))
    for before, after in itertools.pairwise(found):
        assert before.start < after.start
        assert before.end < after.end


def test_sentences_stay_whole_and_neighbours_share_some() -> None:
    sentence = "The gardener waters the tomatoes on Tuesday. "
    found = split(sentence * 60)
    assert len(found) > 2
    for passage in found:
        assert passage.text.startswith("The gardener")
        assert passage.text.endswith("Tuesday.")
    assert all(b.start < a.end for a, b in itertools.pairwise(found))


def test_a_heading_begins_a_passage_and_a_block_of_code_stays_whole() -> None:
    prose = "Some words about the topic at hand. " * 15
    code = "```\n" + "call(argument);\n" * 12 + "```\n"
    found = split(f"{prose}\n## Second part\n{prose}\n{code}{prose}")
    assert any(passage.text.startswith("## Second part") for passage in found)
    assert any(code.strip() in passage.text for passage in found)


def test_a_sentence_without_an_end_is_divided_between_words() -> None:
    found = split("word " * 1000)
    assert [passage.text.split()[0] for passage in found] == ["word"] * 5
    assert all(passage.text.endswith("word") for passage in found)


def test_offsets_count_characters_beyond_the_first_plane() -> None:
    text = "🚀" * 150 + ". " + "🛰" * 150
    assert [(p.start, p.end) for p in split(text)] == [(0, 151), (152, 302)]


def test_a_passage_is_made_of_a_span() -> None:
    assert Passage.of("green tea", (6, 9)) == Passage(6, 9, "tea")
    assert Passage.of("green tea", None) is None
