"""Names, addresses, paths, identifiers, code symbols and dates are found in a text by rule."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.ranking.mentions import MAX_CHARACTERS, MAX_PLACES, identity, mentioned


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind.value, each.key) for each in mentioned(text, 100)]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Alice Smith met ALICE SMITH.", [("name", "alice smith")]),
        ("Ludwig van Beethoven liked it.", [("name", "ludwig van beethoven")]),
        ("Ada's violin is in Zermatt.", [("name", "ada"), ("name", "zermatt")]),
        ("Caroline: Hey Mel! Good to see you!", [("name", "caroline"), ("name", "mel")]),
        ("Yesterday the ferry left. Lanterns glow.", []),
        ("We use PostgreSQL and Node.js.", [("name", "postgresql"), ("name", "node.js")]),
        ("Write to Ada@Example.org today", [("mail", "ada@example.org")]),
        ("at https://www.Example.org/a?b=1/ or", [("url", "example.org/a?b=1")]),
        (
            "see src/app.py and/or ~/x/y, C:\\a\\b",
            [
                ("path", "src/app.py"),
                ("path", "~/x/y"),
                ("path", "C:/a/b"),
            ],
        ),
        (
            "ticket ABC-123 in v1.2.3, a 24-year-old, 3pm, mid-1990s",
            [
                ("identifier", "abc-123"),
                ("identifier", "v1.2.3"),
            ],
        ),
        (
            "call get_user() or `main` or loadAll",
            [
                ("code", "get_user"),
                ("code", "main"),
                ("code", "loadAll"),
            ],
        ),
        (
            "on 3 May 2024, that is 2024-05-03, in May 2024, not in 2024",
            [
                ("date", "2024-05-03"),
                ("date", "2024-05"),
            ],
        ),
        ("", []),
        ("東京でアリスに会った。", []),
    ],
)
def test_entities_are_found_by_rule(text: str, entities: list[tuple[str, str]]) -> None:
    assert found(text) == entities


def test_a_name_has_the_identity_of_its_mention() -> None:
    for name in ("Alice Smith", "ada@example.org", "docs/plan.md", "get_user", "PostgreSQL"):
        assert [tuple(identity(name))] == [(e.kind, e.key) for e in mentioned(f"by {name} ", 9)]


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=300))
def test_places_lie_in_any_text_and_do_not_overlap(text: str) -> None:
    places = sorted(place for each in mentioned(text, 100) for place in each.places)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(a.end <= b.start for a, b in pairwise(places))


def test_odd_texts_are_bounded() -> None:
    many = mentioned(" ".join(f"by Name{i}a Foo" for i in range(10_000)), 50)
    assert len(many) == 50
    again = mentioned("by Bob, " * 1000, 50)
    assert [len(each.places) for each in again] == [MAX_PLACES]
    started = time.process_time()
    for unit in ("a", "A", "aA", "a1", "a_", "a.", "/a", "a@", "-1", "A ", "`a`"):
        mentioned(unit * MAX_CHARACTERS, 100)
    assert time.process_time() - started < 30
