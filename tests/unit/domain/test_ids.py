"""The short form of ids."""

import pytest

from graph_memory.domain.ids import short_ids

#: An id of version 4, which is random, and one of version 5, the hash of a name.
RANDOM = "d78d639e-7357-47a4-9138-2dc09eb1f446"
HASHED = "887308e0-9d1a-5a6c-8a3b-0f0c5b0f6a11"


@pytest.mark.parametrize("whole", [RANDOM, HASHED])
def test_a_random_id_has_a_short_form(whole: str):
    assert short_ids([whole, whole]) == {whole: whole[:8]}


@pytest.mark.parametrize(
    "other",
    [
        "d1f0a8a2-cad0-11f0-8d2b-0242ac120002",  # of version 1: begins with a time
        "0192f3a1-7b2c-7d3e-8f4a-5b6c7d8e9f0a",  # of version 7: begins with a time
        "00000000-0000-4000-8000-000000000001",  # numbered
        RANDOM.upper(),
        f"{RANDOM}x",
        "demo-postgres",
    ],
)
def test_an_id_that_does_not_begin_at_random_stays_whole(other: str):
    assert short_ids([other]) == {other: other}


def test_ids_of_an_answer_that_begin_alike_are_longer():
    first = "1a2b3c4d-5e6f-4000-8000-000000000001"
    second = "1a2b3c4d-5e60-4000-8000-000000000001"
    third = "1a2b3c4d-0000-4000-8000-000000000001"
    own = "1a2b3c4d"  # chosen by a caller
    assert short_ids([first, second, third]) == {
        first: "1a2b3c4d-5e6f",
        second: "1a2b3c4d-5e60",
        third: "1a2b3c4d-0",
    }
    assert short_ids([first, own]) == {first: "1a2b3c4d-", own: own}
    assert short_ids([]) == {}
