"""Rules for aliases find what is one, and keep apart what is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph_memory.domain.models import EntityKind
from graph_memory.ranking.aliases import SIGNS, Known, aliases, stated

DATA = Path(__file__).parents[2] / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "alias_cases.json").read_text("utf-8"))
TEXTS: dict[str, Any] = json.loads((DATA / "alias_texts.json").read_text("utf-8"))

NAME, MAIL = EntityKind.NAME, EntityKind.MAIL


def pairs(*entities: tuple[EntityKind, str]) -> set[tuple[str, str]]:
    return {(a.first_id, a.second_id) for a in aliases(Known(key, k, key) for k, key in entities)}


@pytest.mark.parametrize("case", CASES, ids=[case["rule"] for case in CASES])
def test_each_rule_finds_its_pairs_and_no_other(case: dict[str, Any]) -> None:
    kind = EntityKind(case["kind"])
    for one, other in case["same"]:
        assert pairs((kind, one), (kind, other)) == {(min(one, other), max(one, other))}
    for one, other in case["apart"]:
        assert pairs((kind, one), (kind, other)) == set()


def test_every_proposal_among_all_names_is_right() -> None:
    """Precision is 1 where the names of all cases meet, and few names find no other."""
    keys, same = set[tuple[EntityKind, str]](), list[set[str]]()
    for case in CASES:
        for pair in case["same"]:
            keys |= {(EntityKind(case["kind"]), each) for each in pair}
            joined = [each for each in same if each & set(pair)]
            same = [each for each in same if each not in joined]
            same.append(set(pair).union(*joined))
        keys |= {(EntityKind(case["kind"]), each) for pair in case["apart"] for each in pair}
    found = pairs(*keys)
    right = {pair for pair in found if any(set(pair) <= each for each in same)}
    assert found - right == set()
    assert len({key for pair in right for key in pair}) >= 0.9 * sum(map(len, same))


def test_the_order_of_entities_does_not_matter() -> None:
    known = [Known(key, NAME, key) for pair in CASES[0]["same"] for key in pair]
    assert aliases(known) == aliases(known[::-1])


def test_a_name_that_fits_two_names_gets_no_alias() -> None:
    assert pairs((NAME, "b. jones"), (NAME, "bob jones")) == {("b. jones", "bob jones")}
    assert pairs((NAME, "b. jones"), (NAME, "bob jones"), (NAME, "bill jones")) == set()
    assert pairs((NAME, "alice s."), (NAME, "alice smith"), (NAME, "alice stone")) == set()


def test_an_address_belongs_to_the_only_name_that_it_spells() -> None:
    alice = (NAME, "alice smith")
    for local in ("alice.smith", "smith_alice", "alicesmith", "asmith", "a.smith", "alice-smith+x"):
        mail = f"{local}@example.org"
        assert pairs(alice, (MAIL, mail)) == {tuple(sorted((mail, "alice smith")))}
    assert pairs((NAME, "jürgen möller"), (MAIL, "juergen.moeller@example.org"))
    for local in ("info", "alice", "smith", "alices", "bsmith", "alice.smithson"):
        assert pairs(alice, (MAIL, f"{local}@example.org")) == set()
    assert pairs(alice, (NAME, "adam smith"), (MAIL, "asmith@example.org")) == set()


@pytest.mark.parametrize(("text", "expected"), TEXTS["stated"])
def test_a_text_states_an_alias(text: str, expected: list[str]) -> None:
    (found,) = stated(text)
    assert sorted((found.first[1], found.second[1])) == expected
    assert any(sign in text.lower() for sign in SIGNS)


@pytest.mark.parametrize("text", TEXTS["silent"])
def test_a_text_that_states_none_gives_none(text: str) -> None:
    assert stated(text) == []
