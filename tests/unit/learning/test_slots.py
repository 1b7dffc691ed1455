"""The plan of single-valued slots does not depend on how often it is carried out."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.origin import Authority
from graph_memory.domain.timestamps import instant
from graph_memory.learning.slots import SlotChange, Stated, plan

START = datetime(2026, 1, 1, tzinfo=UTC)
SLOTS = ["lives_in"]

Entry = tuple[str, str, Authority | None]
ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(("Ada", "Grace")),
        st.sampled_from(("Paris", "Paris, France", "Rome", "Oslo")),
        st.sampled_from((None, Authority.TOOL, Authority.PERSON)),
    ),
    max_size=8,
)


def stated(number: int, entry: Entry) -> Stated:
    who, where, authority = entry
    at = instant(START + timedelta(days=number))
    text = f"{who} lives in {where}."
    return Stated(f"m{number}", text, "", at, at, authority, False, False, True)


def successors(entries: list[Entry], runs_after: set[int]) -> dict[str, str]:
    """Return what supersedes each memory, with a run after some of them and after the last."""
    superseded: dict[str, str] = {}
    there: list[Stated] = []
    for number, entry in enumerate(entries):
        there.append(stated(number, entry))
        if number in runs_after or number == len(entries) - 1:
            made = [each for each in plan(there, SLOTS) if not each.left]
            superseded.update({each.to_id: each.from_id for each in made})
            there = [each for each in there if each.memory_id not in superseded]
    return superseded


@given(ENTRIES, st.sets(st.integers(0, 7)))
def test_one_run_or_many_give_the_same_successors(
    entries: list[Entry], runs_after: set[int]
) -> None:
    assert successors(entries, runs_after) == successors(entries, set())


@given(ENTRIES)
def test_a_successor_is_later_of_the_same_subject_and_not_of_less_authority(
    entries: list[Entry],
) -> None:
    by_id = {each.memory_id: each for each in map(stated, range(len(entries)), entries)}
    for older_id, newer_id in successors(entries, set()).items():
        older, newer = by_id[older_id], by_id[newer_id]
        assert older.at < newer.at
        assert older.text.split()[0] == newer.text.split()[0]
        assert Authority.least((older.authority, newer.authority)) == older.authority


def test_a_change_in_doubt_is_planned_once() -> None:
    entries: list[Entry] = [
        ("Ada", "Paris", Authority.PERSON),
        ("Ada", "Rome", Authority.TOOL),
        ("Ada", "Oslo", None),
    ]
    found = plan([stated(*each) for each in enumerate(entries)], SLOTS)
    assert [(each.from_id, each.to_id) for each in found] == [("m1", "m0"), ("m2", "m1")]
    assert all(isinstance(each, SlotChange) and each.left for each in found)


def test_a_decided_pair_leaves_the_next_later_memory() -> None:
    entries: list[Entry] = [("Ada", place, None) for place in ("Paris", "Rome", "Oslo")]
    memories = [stated(*each) for each in enumerate(entries)]
    first, second = plan(memories, SLOTS)
    decided = {first.proposal().proposal_id}
    again = plan(memories, SLOTS, decided)
    assert [(each.from_id, each.to_id) for each in again] == [("m2", "m0"), ("m2", "m1")]
    assert second in again
