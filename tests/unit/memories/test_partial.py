"""A part of a content is replaced or dropped by its exact words; the rest keeps its letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.errors import InvalidArgumentError
from graph_memory.memories.partial import with_part_superseded

LIST = "Ada works at Acme, lives in Bonn, and plays chess."
SENTENCES = "Ada is a smith. She lives in Bonn. She plays chess."


@pytest.mark.parametrize(
    ("content", "part", "rest"),
    [
        (LIST, "lives in Bonn", "Ada works at Acme, and plays chess."),
        (LIST, ", lives in Bonn", "Ada works at Acme, and plays chess."),
        (LIST, "plays chess", "Ada works at Acme, lives in Bonn."),
        (LIST, "and plays chess", "Ada works at Acme, lives in Bonn."),
        (LIST, "Ada works at Acme", "lives in Bonn, and plays chess."),
        (SENTENCES, "She lives in Bonn", "Ada is a smith. She plays chess."),
        (SENTENCES, "She lives in Bonn.", "Ada is a smith. She plays chess."),
        (SENTENCES, "Ada is a smith.", "She lives in Bonn. She plays chess."),
        (SENTENCES, "She plays chess.", "Ada is a smith. She lives in Bonn."),
        ("Ada likes tea and coffee", "tea and", "Ada likes coffee"),
        ("Ada likes tea and coffee", "coffee", "Ada likes tea"),
        ("Ada takes vitamin E, and iron", "iron", "Ada takes vitamin E"),
        ("Ada takes iron, vitamin E", "iron,", "Ada takes vitamin E"),
        ("Cities: Bonn, Rome", "Bonn", "Cities: Rome"),
        ("Ada (born in Bonn) likes tea", "(born in Bonn)", "Ada likes tea"),
        ("Likes:\n- tea\n- coffee\n- milk", "coffee", "Likes:\n- tea\n- milk"),
        ("Likes:\n- tea\n- coffee", "coffee", "Likes:\n- tea"),
        ("1. tea\n2. coffee", "tea", "2. coffee"),
        ("One fact.\n\nTwo facts.\n\nThree.", "Two facts.", "One fact.\n\nThree."),
        ("エイダは東京に住み、猫を飼う", "東京に住み、", "エイダは猫を飼う"),
    ],
)
def test_a_dropped_part_leaves_tidy_punctuation(content: str, part: str, rest: str) -> None:
    assert with_part_superseded(content, part, None) == rest


@pytest.mark.parametrize(
    ("content", "part", "replacement", "corrected"),
    [
        (LIST, "Bonn", "Cologne", "Ada works at Acme, lives in Cologne, and plays chess."),
        (LIST, " lives in Bonn ", "sails ", "Ada works at Acme, sails, and plays chess."),
        ("A party with art", "art", "music", "A party with music"),
        ("エイダは東京に住む", "東京", "京都", "エイダは京都に住む"),
    ],
)
def test_a_replaced_part_changes_nothing_else(
    content: str, part: str, replacement: str, corrected: str
) -> None:
    assert with_part_superseded(content, part, replacement) == corrected


@pytest.mark.parametrize(
    ("part", "replacement", "said"),
    [
        ("in Rome", None, "the content has no such words; give them exactly"),
        ("lives in bonn", None, "the content has no such words"),
        ("onn", None, "the content has no such words"),
        ("She", None, "it stands 2 times in the content; add the words beside the one meant"),
        (SENTENCES, None, "it is the whole content; `lifecycle.mark_obsolete` ends"),
        (SENTENCES[:-1], "Ada is gone", "it is the whole content"),
        ("Bonn", "Ada is a smith. She lives in Rome", "leave out the rest of the memory"),
        ("She lives in Bonn.", "Rome. She plays chess.", "leave out the rest of the memory"),
    ],
)
def test_a_refusal_names_the_rule_and_the_remedy(
    part: str, replacement: str | None, said: str
) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        with_part_superseded(SENTENCES, part, replacement)
    assert said in str(refused.value)
    assert refused.value.argument in ("supersede_part", "content")


@given(st.lists(st.sampled_from(["tea", "milk", "rye", "salt"]), min_size=1), st.data())
def test_every_word_but_the_dropped_one_stays(words: list[str], data: st.DataObject) -> None:
    joint = data.draw(st.sampled_from([", ", " and ", ". ", "\n", "; "]))
    place = data.draw(st.integers(0, len(words)))
    content = joint.join([*words[:place], "quince", *words[place:]])
    rest = with_part_superseded(content, "quince", None)
    kept = [word for word in rest.replace(joint.strip() or "\n", " ").split() if word != "and"]
    assert [word.strip(",.;") for word in kept] == words
    assert rest == rest.strip()
