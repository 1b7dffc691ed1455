"""Communities are those that a network has, and the same in each process and after each stop."""

import os
import random
import subprocess
import sys

import networkx
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.learning.communities import (
    LEAST,
    MOST,
    centres,
    communities,
    labels,
    lasting_ids,
)

Pairs = dict[tuple[str, str], float]


def planted(groups: int, size: int, noise: float = 0.05) -> Pairs:
    """Return the edges of a network with dense groups, and a few edges between them."""
    chance, pairs = random.Random(7), Pairs()
    for number in range(groups * size * 4):
        near = number // (size * 4)
        far = near if chance.random() > noise else chance.randrange(groups)
        one, other = near * size + chance.randrange(size), far * size + chance.randrange(size)
        if one != other:
            first, second = sorted((f"m{one:05}", f"m{other:05}"))
            pairs[first, second] = round(chance.random(), 3) + 0.5
    return pairs


def test_planted_groups_are_found() -> None:
    found = communities(planted(12, 30))
    assert [len(each) for each in found] == [30] * 12
    assert found == sorted(sorted(each) for each in found)
    assert all(len({int(member[1:]) // 30 for member in each}) == 1 for each in found)


def test_the_division_is_as_good_as_that_of_a_reference() -> None:
    edges = planted(20, 20, noise=0.2)
    graph = networkx.Graph()
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in edges.items())
    reference = networkx.community.louvain_communities(graph, seed=1)
    found = communities(edges)
    rest = set(graph) - {member for each in found for member in each}
    quality = networkx.community.modularity(graph, [*found, *({each} for each in rest)])
    assert quality >= networkx.community.modularity(graph, reference) - 0.02


def test_a_pair_is_no_cluster_and_a_large_community_is_divided() -> None:
    assert communities({}) == []
    assert communities({("a", "b"): 1.0}) == []
    assert communities({("a", "b"): 1.0, ("b", "c"): 1.0}) == [["a", "b", "c"]]
    ring = {(f"m{i:05}", f"m{i + 1:05}"): 1.0 for i in range(20 * MOST)}
    found = communities(ring)
    assert min(map(len, found)) >= LEAST
    assert max(map(len, found)) <= MOST


def test_each_process_finds_the_same() -> None:
    script = (
        "from tests.unit.learning.test_communities import planted;"
        "from graph_memory.learning.communities import communities;"
        "print(communities(planted(40, 12, 0.2)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def divisions() -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 4), min_size=1, max_size=24)


def found_by(division: list[int]) -> list[list[str]]:
    """Return the communities of a division, as `communities` orders them."""
    return sorted(
        [f"m{place:02}" for place, each in enumerate(division) if each == number]
        for number in set(division)
    )


@given(divisions(), divisions(), st.sets(st.integers(0, 23)))
@settings(deadline=None)
def test_ids_last_and_a_stop_changes_none(
    before: list[int], after: list[int], stored: set[int]
) -> None:
    first = found_by(before)
    ids = lasting_ids("g", first, {})
    earlier = {m: known for members, known in zip(first, ids, strict=True) for m in members}
    assert len(set(ids)) == len(ids)
    assert lasting_ids("g", first, earlier) == ids
    second = found_by(after)
    wanted = lasting_ids("g", second, earlier)
    assert len(set(wanted)) == len(wanted)
    partly = dict(earlier)
    for members, known in zip(second, wanted, strict=True):
        partly |= {m: known for m in members if int(m[1:]) in stored}
    assert lasting_ids("g", second, partly) == wanted


def test_a_group_has_ids_of_its_own() -> None:
    found = [["a", "b", "c"]]
    assert lasting_ids("g", found, {}) != lasting_ids("h", found, {})


def test_the_centre_has_the_most_weight_inside() -> None:
    edges = {("a", "b"): 1.0, ("a", "c"): 1.0, ("b", "c"): 0.5, ("c", "z"): 9.0}
    assert centres([["a", "b", "c"]], edges) == ["a"]
    assert centres([["a", "b", "c"]], {("b", "c"): 1.0}) == ["b"]


def test_a_label_has_words_that_members_share_and_others_lack() -> None:
    words = {
        "a": frozenset(("violin", "attic", "house")),
        "b": frozenset(("violin", "attic", "evening")),
        "c": frozenset(("violin", "house")),
        "d": frozenset(("house", "ferry")),
        "e": frozenset(("house",)),
        "f": frozenset[str](),
    }
    assert labels([["a", "b", "c"], ["f"]], words) == ["violin, attic, house", "no words"]
