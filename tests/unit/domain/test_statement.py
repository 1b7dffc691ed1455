"""The forms of statements: which spellings are one statement, and which are others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.statement import fingerprint, words

SECRET = b"a key of these tests, 32 bytes...."


def alike(one: str, other: str) -> bool:
    """Return True if two texts count as the same statement, and would be compared."""
    first, second = fingerprint(one, SECRET), fingerprint(other, SECRET)
    found = first.key == second.key or first.bucket == second.bucket
    return found and first.resembles(second)


SAME = [
    ("Ada likes green tea", "ADA LIKES GREEN TEA!"),
    ("Ada likes green tea", "  Ada\n likes —  green, tea  "),
    ("Ada likes green tea", "А\u200bdа lіkеs grееn tеа"),
    ("Ada likes green tea", "Ada li\u00adkes g\ufe0fre\u202een t\U000e0065ea"),
    ("Ada likes green tea", "**Ada** likes 'green' _tea_"),
    ("Ada likes green tea", "Ａｄａ 𝐥𝐢𝐤𝐞𝐬 green tea"),
    ("Ada likes green tea", "Ádá lïkés grëen tea"),
    ("Ada does not like tea", "Ada doesn't like tea"),
    ("Her favourite colour is blue", "Her favorite color is blue"),
    ("She organises the travelling circus", "She organizes the traveling circus"),
    ("The office moves tomorrow", "The office moves tomorow"),
    ("She recommends the restaurant", "She recommends the restuarant"),
    ("She recommends the restaurant", "She reccommends the restaurant"),
    ("It is definitely in the cupboard", "It is really in cupboard"),
    ("port 8080", "port\u00a08080."),
]

OTHER = [
    ("likes tea", "does not like tea"),
    ("likes tea", "likes pea"),
    ("port 8080", "port 8081"),
    ("port 8080", "port 80"),
    ("lives in Rome", "lives in Oslo"),
    ("lives in Rome", "lived in Rome"),
    ("Christina likes tea", "Christine likes tea"),
    ("The meeting is on Tuesday in the large room", "The meeting is on Thursday in the large room"),
    ("It may be stored", "It may not be stored"),
    ("It takes 5 μm", "It takes 5 mm"),
    ("It costs $5", "It costs €5"),
    ("It is -5 degrees", "It is 5 degrees"),
    ("version 1.2", "version 1.3"),
    ("prefers C++", "prefers C#"),
    ("likes 🍎", "likes 🍌"),
    ("a <= b", "a >= b"),
    ("wants a message", "wants a massage"),
    ("she managed the company", "she manages the company"),
    ("Ada likes tea and Bob coffee", "Bob likes tea and Ada coffee"),
    ("uses tabs for indentation in the project", "uses spaces for indentation in the project"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_spelling_variant_is_the_same_statement(one: str, other: str):
    assert alike(one, other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_number_name_negation_or_word_is_another_statement(one: str, other: str):
    assert not alike(one, other)


def test_a_text_without_words_is_compared_as_it_is():
    assert words("...") == ("...",)
    assert alike("...", "...")
    assert not alike("...", "???")


def test_the_marks_of_other_scripts_stay():
    assert words("किताब") != words("कतब")


def test_hashes_depend_on_the_key():
    one, other = fingerprint("Ada likes tea", SECRET), fingerprint("Ada likes tea", b"another")
    assert one.key != other.key
    assert set(one.sketch).isdisjoint(other.sketch)


def test_the_size_of_a_sketch_is_one_of_few():
    texts = ["tea", "Ada recommends restaurants", "recommends restaurants " * 40]
    sizes = [len(fingerprint(text, SECRET).sketch) for text in texts]
    assert sizes[0] == sizes[1] == 64
    assert sizes[2] % 64 == 0
    assert sizes[2] <= 448


WORDS = st.lists(
    st.sampled_from(
        [
            "Ada",
            "Bob",
            "likes",
            "lives",
            "in",
            "Rome",
            "tea",
            "7",
            "not",
            "recommends",
            "restaurant",
            "é",
        ]
    ),
    min_size=1,
    max_size=8,
)
INVISIBLE = st.sampled_from(["", "\u200b", "\u2060", "\u00ad", "\ufe0f", "\u202e", "\U000e0041"])


@given(words=WORDS, noise=st.lists(INVISIBLE, min_size=60, max_size=60), space=st.text(" \n\t "))
def test_noise_between_the_letters_changes_nothing(words: list[str], noise: list[str], space: str):
    plain = " ".join(words)
    noisy = f" {space}".join(words)
    hidden = iter(noise * 10)
    noisy = "".join(letter + next(hidden) for letter in noisy)
    assert fingerprint(noisy.upper(), SECRET).key == fingerprint(plain, SECRET).key
    assert alike(plain, noisy)


@given(text=st.text(max_size=200))
def test_any_text_has_a_form_that_is_its_own(text: str):
    assert alike(text, text)
    assert fingerprint(text, SECRET) == fingerprint(text, SECRET)


@given(words=WORDS, others=WORDS)
def test_other_words_are_another_statement(words: list[str], others: list[str]):
    one, other = " ".join(words), " ".join(others)
    assert alike(one, other) == (words == others)
