"""Texts state values of slots: by verbs and nouns, with a subject, and not in doubt."""

import pytest

from graph_memory.memories.slots import Slot, SlotValue, slot_cues, slot_values, slots

NAMES = [slot.name for slot in slots()]


def one(text: str) -> SlotValue:
    (found,) = slot_values(text, NAMES)
    return found


@pytest.mark.parametrize("slot", slots(), ids=lambda slot: slot.name)
def test_each_example_states_a_value_and_has_a_cue(slot: Slot) -> None:
    found = one(slot.example)
    assert (found.slot, found.sure, found.alone) == (slot.name, True, True)
    assert any(cue in slot.example.lower() for cue in slot_cues([slot.name]))
    assert slot_values(slot.example, [each for each in NAMES if each != slot.name]) == []


@pytest.mark.parametrize(
    ("text", "slot", "subject", "value"),
    [
        ("Ada lives in New York, USA.", "lives_in", "ada", "New York, USA"),
        ("Ada is currently living in Rome since May 2024", "lives_in", "ada", "Rome"),
        ("I'm living in St. Louis now.", "lives_in", "the user", "St. Louis"),
        ("The user lives in the Netherlands", "lives_in", "the user", "the Netherlands"),
        ("Ada: I live in Lyon", "lives_in", "ada", "Lyon"),
        ("From now on, Zoë lives in Köln.", "lives_in", "zoë", "Köln"),
        ("Correction: Ada Lovelace works for the Red Cross", "works_at", "ada lovelace", None),
        ("James' manager is Bob", "manager", "james", "Bob"),
        ("Ada’s phone: +44 20 7946 0958", "phone", "ada", "+44 20 7946 0958"),
        ("My e-mail address is Ada@Example.org", "email", "the user", "Ada@Example.org"),
        ("Ada works as an engineer", "works_as", "ada", "an engineer"),
        ("Ada is 37 years old now", "age", "ada", None),
        ("My address is 5 Mill Lane, London", "address", "the user", "5 Mill Lane, London"),
    ],
)
def test_a_value_is_found(text: str, slot: str, subject: str, value: str | None) -> None:
    found = one(text)
    assert (found.slot, found.subject, found.sure, found.alone) == (slot, subject, True, True)
    assert value is None or found.value == value


@pytest.mark.parametrize(
    "text",
    [
        "Does Ada live in Paris?",
        "Ada doesn't live in Paris",
        "Ada used to live in Paris",
        "Ada lives in Paris or Rome",
        "Ada lives in Paris and Rome",
        "Ada lives in Paris until 2027",
        "Ada lives in Paris for the summer",
        "If Ada lives in Paris, call her",
        "Ada may live in Paris",
        "She lives in Paris",
        "Nobody lives in Paris",
        "The cat lives in Paris",
        "My brother's phone is 020 7946 0958",
        "Ada lives in a small house",
        "Ada also lives in Rome",
        "Ada works as well",
        "My address is wrong",
        "Ada lives in Paris. Ada lives in Rome.",
        "assistant: I live in the cloud of Acme",
    ],
)
def test_a_text_in_doubt_states_no_value(text: str) -> None:
    assert slot_values(text, NAMES) == []


def test_the_words_of_an_assistant_are_not_about_the_user() -> None:
    assert slot_values("I live in Paris", NAMES, by_user=False) == []
    assert len(slot_values("Ada lives in Paris", NAMES, by_user=False)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Ada lives in Paris. She has two cats.",
        "Ada lives in Paris with her two cats",
        "Ada lives in Paris and works at Acme",
        "Ada lives in Paris, near the river",
    ],
)
def test_a_text_that_states_more_is_not_alone(text: str) -> None:
    found = one(text)
    assert (found.value, found.alone) == ("Paris", False)


@pytest.mark.parametrize("text", ["Ada moved to Berlin", "Ada is based in Berlin"])
def test_words_of_another_meaning_are_not_sure(text: str) -> None:
    assert (one(text).value, one(text).sure) == ("Berlin", False)


@pytest.mark.parametrize(
    ("text", "other", "differ"),
    [
        ("Ada lives in Paris", "Ada lives in Berlin", True),
        ("Ada lives in Paris", "Ada lives in Paris, France", False),
        ("Ada lives in Paris, Texas", "Ada lives in Paris, France", True),
        ("Ada's birthday is 3 May", "Ada was born on May 3, 1990", False),
        ("Ada's birthday is 1990-05-03", "Ada was born on May 3, 1990", False),
        ("Ada's birthday is 4 May", "Ada was born on May 3, 1990", True),
        ("Ada's phone is 020 7946 0958", "Ada's phone is +44 20 7946 0958", False),
        ("Ada's phone is 020 7946 0958", "Ada's phone is 020 7946 0959", True),
        ("Ada is 36 years old", "Ada is 37 years old", True),
    ],
)
def test_values_differ_unless_one_contains_the_other(text: str, other: str, differ: bool) -> None:
    assert one(text).differs(one(other)) is differ
    assert one(other).differs(one(text)) is differ
