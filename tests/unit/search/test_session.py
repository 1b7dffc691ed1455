"""Sessions and budgets, without a database."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from graph_memory import Settings, read_settings
from graph_memory.domain.models import BriefMemory, LifecycleState, MemoryType
from graph_memory.domain.passages import Passage
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.inference.token_counter import by_characters
from graph_memory.ranking.profiles import Profile, with_weights
from graph_memory.search.budget import BudgetCandidate, fill_budget, select_budget
from graph_memory.search.session import LoadRecord, LoadStatus, Session, merge_loads, stale

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "retrieval_vectors.json").read_text())

CANDIDATES = st.lists(
    st.tuples(
        st.text("abcdef", min_size=1, max_size=3),
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        st.integers(0, 60),
    ),
    unique_by=lambda candidate: candidate[0],
    max_size=20,
)


@pytest.mark.parametrize("vector", VECTORS["stale"])
def test_staleness_begins_beyond_the_threshold(vector: dict[str, Any]) -> None:
    expected = vector.pop("expected")
    assert stale(**vector) is expected


@pytest.mark.parametrize("vector", VECTORS["budget"])
def test_the_budget_is_filled_greedily(vector: dict[str, Any]) -> None:
    candidates = [tuple(candidate) for candidate in vector["candidates"]]
    assert select_budget(candidates, vector["max_tokens"]) == (vector["chosen"], vector["tokens"])


@given(candidates=CANDIDATES, max_tokens=st.integers(0, 200))
def test_a_budget_is_never_exceeded_nor_left_where_something_fits(
    candidates: list[tuple[str, float, int]], max_tokens: int
) -> None:
    chosen, used = select_budget(candidates, max_tokens)
    scores = {id_: score for id_, score, _ in candidates}
    tokens = {id_: cost for id_, _, cost in candidates}
    assert used == sum(tokens[id_] for id_ in chosen) <= max_tokens
    assert len(set(chosen)) == len(chosen)
    assert chosen == sorted(chosen, key=lambda id_: (-scores[id_], id_))
    # A skipped candidate did not fit beside the better ones that were chosen.
    for id_ in tokens.keys() - set(chosen):
        better = [c for c in chosen if (-scores[c], c) < (-scores[id_], id_)]
        assert sum(tokens[c] for c in better) + tokens[id_] > max_tokens


@given(st.text())
def test_four_characters_begun_are_a_token(text: str) -> None:
    (count,) = by_characters([text])
    assert len(text) / 4 <= count < len(text) / 4 + 1


def test_weights_fit_their_profile_or_are_refused() -> None:
    settings = read_settings()
    assert with_weights(settings, Profile.RECALL, None) is settings
    assert with_weights(settings, Profile.HYBRID, [1, 0, 0, 0]).hybrid_weights == (1, 0, 0, 0)
    assert with_weights(settings, Profile.WEIGHTED, [0.5, 0.25, 0.25]).search_weights[0] == 0.5
    for profile, weights in (
        (Profile.HYBRID, [0.4, 0.3, 0.3]),
        (Profile.HYBRID, [0.4, 0.3, 0.2, 0.2]),
        (Profile.HYBRID, [1.4, -0.4, 0, 0]),
        (Profile.HYBRID, []),
        (Profile.WEIGHTED, [float("nan"), 0.5, 0.5]),
        (Profile.RECALL, [0.5, 0.5]),
    ):
        with pytest.raises(InvalidArgumentError, match="weights"):
            with_weights(settings, profile, weights)
    with pytest.raises(SettingsError, match="HYBRID_WEIGHTS"):
        read_settings(hybrid_weights="0.4, 0.3, 0.2, 0.2")


class Conversation(RuleBasedStateMachine):
    """A session, compared with the plainest model of it: a list of contents and positions."""

    settings: Settings = read_settings(session_max_loaded=100, session_history=3)

    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s", recent={})
        self.stored: Mapping[str, LoadRecord] = {}
        self.total = 0
        self.given: list[tuple[str, str, int]] = []
        self.retrievals = 0

    @rule(
        wanted=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["x", "y"]), max_size=4),
        heard=st.none() | st.integers(0, 20_000),
        threshold=st.sampled_from([0, 100, 4096]),
        tokens=st.integers(0, 2000),
        gone=st.sets(st.sampled_from("abcdef"), max_size=2),
    )
    def retrieve(
        self, wanted: dict[str, str], heard: int | None, threshold: int, tokens: int, gone: set[str]
    ) -> None:
        position = self.session.position(heard)
        assert position == max(self.total, heard or 0)
        lacking: dict[str, str] = {}
        for id_, text in wanted.items():
            status = self.session.status(id_, text, position, threshold)
            assert status == self.expected(id_, text, position, threshold)
            if status:
                lacking[id_] = text
        self.session = self.session.after(
            lacking, position=position, tokens=tokens, gone=gone, event={}, settings=self.settings
        )
        self.given = [entry for entry in self.given if entry[0] not in gone | lacking.keys()]
        self.given += [(id_, text, position) for id_, text in lacking.items()]
        self.total = position + tokens
        self.retrievals += 1

    @rule()
    def renew_the_stored_lists(self) -> None:
        self.stored = self.session.loaded
        self.session = replace(self.session, recent={})

    def expected(self, id_: str, text: str, position: int, threshold: int) -> LoadStatus | None:
        for known, before, at in self.given:
            if known == id_:
                if before != text:
                    return LoadStatus.CHANGED
                return LoadStatus.REFRESHED if position - at > threshold else None
        return LoadStatus.NEW

    @invariant()
    def agrees(self) -> None:
        state = self.session.state(4096)
        assert state.total_tokens == self.total
        assert [(m.memory_id, m.load_token_count, m.stale) for m in state.loaded] == [
            (id_, at, self.total - at > 4096) for id_, _, at in self.given
        ]
        assert len(state.history) == min(self.retrievals, 3)
        read = merge_loads(self.stored, self.session.recent or {}, 100)
        assert [*read.items()] == [*self.session.loaded.items()]


TestConversation = Conversation.TestCase
TestConversation.settings = hypothesis_settings(max_examples=60, stateful_step_count=20)


def test_a_session_keeps_the_latest_of_too_many() -> None:
    settings = read_settings(session_max_loaded=100, session_history=0)
    session = Session("s").after(
        {str(n): "text" for n in range(150)}, position=0, tokens=1, event={}, settings=settings
    )
    assert list(session.loaded) == [str(n) for n in range(50, 150)]
    assert session.history == ()


def test_of_a_long_session_a_retrieval_checks_the_latest_and_a_part_of_the_others() -> None:
    settings = read_settings()
    loaded = {str(n): LoadRecord(n, str(n)) for n in range(1400)}
    session, checked = Session("s", loaded=loaded), set[str]()
    for _ in range(4):
        part = session.to_check
        assert len(part) <= 750
        assert list(part.values())[-500:] == [str(n) for n in range(900, 1400)]
        checked |= part.keys()
        session = session.after({}, position=0, tokens=0, event={}, settings=settings)
    assert checked == loaded.keys()
    assert next(iter(session.to_check)) == "0"  # a new round
    few = Session("s", loaded=dict(list(loaded.items())[:750]))
    assert few.to_check.keys() == few.loaded.keys()


def candidate(memory_id: str, score: float) -> BudgetCandidate:
    told = datetime(2026, 6, 1, tzinfo=UTC)
    memory = BriefMemory(
        memory_id, "a", MemoryType.GENERAL, [], 5.0, LifecycleState.ACTIVE, told, None, None
    )
    return BudgetCandidate(memory, 0.5, score, {}, None)


@hypothesis_settings(deadline=None)
@given(
    candidates=CANDIDATES,
    briefs=st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 60)),
    max_tokens=st.integers(0, 200),
)
def test_a_candidate_is_given_as_its_brief_only_if_it_does_not_fit_itself(
    candidates: list[tuple[str, float, int]], briefs: dict[str, int], max_tokens: int
) -> None:
    settings = read_settings()
    whole = [(candidate(id_, score), tokens) for id_, score, tokens in candidates]
    part = Passage(0, 1, "a")
    shorter = {
        each.memory.memory_id: (replace(each, parts=(part,)), briefs[each.memory.memory_id])
        for each, _ in whole
        if each.memory.memory_id in briefs
    }
    given_, _, _ = fill_budget(Session(), whole, 0, settings, budget=max_tokens, briefs=shorter)
    without, _, _ = fill_budget(Session(), whole, 0, settings, budget=max_tokens)
    used = 0
    chosen = {each.memory.memory_id: each for each in given_}
    for id_, _, tokens in sorted(candidates, key=lambda each: (-each[1], each[0])):
        each = chosen.get(id_)
        if used + tokens <= max_tokens:
            assert each is not None
            assert not each.parts
        elif id_ in briefs and used + briefs[id_] <= max_tokens:
            assert each is not None
            assert each.parts == (part,)
        else:
            assert each is None
        used += each.tokens if each else 0
    assert used <= max_tokens
    if not chosen.keys() & briefs.keys():
        assert [each.memory.memory_id for each in without] == list(chosen)
