"""Marks find a rejected value again in other words, and no other value."""

import pytest

from graph_memory.memories.slot_marks import asked_marks, marks_of, without_values
from graph_memory.memories.slots import slots

NAMES = [slot.name for slot in slots()]
KEY = b"a key"


def meets(rejected: str, new: str, secrets: tuple[bytes, ...] = (KEY,)) -> bool:
    """Return whether a new text states a value of a rejected one."""
    return not set(marks_of(rejected, KEY)).isdisjoint(asked_marks(new, NAMES, secrets))


@pytest.mark.parametrize(
    ("rejected", "new"),
    [
        ("Alice lives in Paris.", "Alice has moved to Paris"),
        ("Alice lives in Paris.", "From now on, ALICE lives in PARIS!"),
        ("Alice lives in Paris.", "Ali\u00adce lives in P\u0430ris"),
        ("Zoë lives in Köln", "Zoe is living in Koln"),
        ("Alice lives in Paris", "Alice is based in Paris, France"),
        ("Alice lives in Paris, France", "Alice is based in Paris"),
        ("I live in Paris", "user: I have moved to Paris"),
        ("Alice works at the Acme Corp", "Alice is employed by Acme Corp"),
        ("Alice was born on 12 May 1990", "Alice's birthday is May 12"),
        ("Alice's birthday is 12 May", "Alice was born on 1990-05-12"),
        ("Alice's phone is 079 123 45 67", "Alice's phone number is +41 (79) 123-45-67"),
        ("Alice lives in Paris", "Alice has moved to Paris. Alice lives in Rome."),
        ("Alice lives in Paris", "The depot opens at six. " * 200 + "Alice has moved to Paris."),
    ],
)
def test_a_value_in_other_words_is_found(rejected: str, new: str) -> None:
    assert meets(rejected, new)


@pytest.mark.parametrize(
    ("rejected", "new"),
    [
        ("Alice lives in Paris", "Alice lives in Rome"),
        ("Alice lives in Paris", "Bob lives in Paris"),
        ("Alice lives in Paris", "Alice studies at Paris"),
        ("Alice lives in Paris, France", "Alice lives in Paris, Texas"),
        ("Alice was born on 12 May 1990", "Alice was born on 12 May 1991"),
        ("Alice lives in Paris", "Alice does not live in Paris"),
        ("Alice lives in Paris", "Does Alice live in Paris?"),
        ("Alice likes Paris", "Alice has moved to Paris"),
    ],
)
def test_another_value_is_not(rejected: str, new: str) -> None:
    assert not meets(rejected, new)


def test_only_the_given_slots_and_keys_count() -> None:
    text = "Alice lives in Paris"
    (mark,) = marks_of(text, KEY)
    assert asked_marks(text, ["lives_in"], [KEY])[mark] == "lives_in"
    assert asked_marks(text, ["works_at"], [KEY]) == {}
    assert asked_marks(text, NAMES, []) == {}
    assert not meets(text, text, (b"another key",))
    assert meets(text, text, (b"another key", KEY))


def test_a_mark_shows_nothing_of_its_value() -> None:
    marks = marks_of("Alice lives in Paris, France. Bob works at Acme.", KEY)
    assert len(marks) == 3
    assert [len(mark) for mark in marks] == [16] * 3
    assert marks == sorted(marks)
    assert marks_of("The depot of Olten opens at six", KEY) == []


def test_sentences_with_a_value_are_left_out() -> None:
    text = "Alice lives in Paris. She bakes bread. Alice works at Acme."
    marks = set(marks_of("Alice lives in Paris", KEY))
    assert without_values(text, NAMES, [KEY], marks) == "She bakes bread. Alice works at Acme."
    assert without_values(text, ["works_at"], [KEY], marks) == text
