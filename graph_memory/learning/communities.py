"""Communities of a network by the Leiden algorithm, with lasting ids, centres and labels.

All follows from the edges, the words and the ids of an earlier division. The edges are sorted and
the seed is fixed, so a second computation gives the same.

Source: Traag, Waltman and van Eck, From Louvain to Leiden: guaranteeing well-connected communities,
2019.
"""

import math
import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from graspologic_native import hierarchical_leiden

from graph_memory.domain.turns import giving_turns

#: Members of a community at least, and members above which it is divided again.
LEAST = 3
MOST = 200

#: The parameters of the algorithm: modularity at the usual resolution, and little randomness.
_RESOLUTION = 1.0
_RANDOMNESS = 0.001
_ITERATIONS = 5
_SEED = 1

#: Words of a label, and members that share a word.
_LABEL_WORDS = 3
_SHARED = 2

_NAMESPACE = uuid.UUID("0d2c8f0a-5a1f-5d57-8a43-9f1c7d6e2b54")

#: Weight of each pair of members, above 0; the first of a pair sorts before the second.
Edges = Mapping[tuple[str, str], float]


def communities(edges: Edges) -> list[list[str]]:
    """Return the communities of `LEAST` members or more, in the order of their first members.

    A community of more than `MOST` members is divided again, if the network in it has parts.
    """
    if not edges:
        return []
    rows = list(_in_order(edges))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for each in hierarchical_leiden(
        rows, None, _RESOLUTION, _RANDOMNESS, _ITERATIONS, True, MOST, _SEED
    ):
        if each.is_final_cluster:
            found[each.cluster].append(each.node)
    return sorted(sorted(members) for members in found.values() if len(members) >= LEAST)


def lasting_ids(
    group_id: str, found: Sequence[Sequence[str]], earlier: Mapping[str, str]
) -> list[str]:
    """Return an id for each community: that of the earlier one with which it shares most members.

    An earlier id goes to one community. A new id follows from the group and the first member. Ids
    do not change if only some members were stored already, so an interrupted run can go on.

    Args:
        group_id: The tenant.
        found: The members of each community, sorted.
        earlier: The id of the earlier community by member.
    """
    shared = Counter(
        (earlier[member], number)
        for number, members in enumerate(found)
        for member in members
        if member in earlier
    )
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for known, number in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if number not in ids and known not in taken:
            ids[number] = known
            taken.add(known)
    for number, members in enumerate(found):
        if number not in ids:
            ids[number] = _new_id(group_id, members[0], taken)
            taken.add(ids[number])
    return [ids[number] for number in range(len(found))]


def centres(found: Sequence[Sequence[str]], edges: Edges) -> list[str]:
    """Return the member of each community with the greatest weight of edges inside it."""
    place = {member: number for number, members in enumerate(found) for member in members}
    weights: defaultdict[str, float] = defaultdict(float)
    for one, other, weight in _in_order(edges):
        if one in place and place[one] == place.get(other):
            weights[one] += weight
            weights[other] += weight
    return [min(members, key=lambda m: (-round(weights[m], 6), m)) for members in found]


def labels(found: Sequence[Sequence[str]], words: Mapping[str, Collection[str]]) -> list[str]:
    """Return a label for each community: the words that its members share and others lack.

    Args:
        found: The members of each community.
        words: The words of every memory of the group, by id, each word once.
    """
    memories = Counter(word for each in giving_turns(words.values()) for word in each)
    return [_label(members, words, memories) for members in giving_turns(found)]


def _in_order(edges: Edges) -> Iterator[tuple[str, str, float]]:
    """Yield the pairs and weights in the order of the members.

    Other threads get turns between short sorts. One sort of all pairs would stop them for a second.
    """
    others: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in edges:
        others[one].append(other)
    for one in giving_turns(sorted(others)):
        for other in sorted(others[one]):
            yield one, other, edges[one, other]


def _new_id(group_id: str, first: str, taken: set[str]) -> str:
    number = 0
    while True:
        found = str(uuid.uuid5(_NAMESPACE, f"{group_id}|{first}|{number}"))
        if found not in taken:
            return found
        number += 1


def _label(
    members: Sequence[str], words: Mapping[str, Collection[str]], memories: Counter[str]
) -> str:
    """Return the words of the highest TF-IDF, where a text is a community of memories."""
    counts = Counter(word for member in members for word in words[member])
    shared = [word for word, count in counts.items() if count >= _SHARED] or list(counts)
    rarity = {word: math.log(1 + len(words) / memories[word]) for word in shared}
    best = sorted(shared, key=lambda word: (-round(counts[word] * rarity[word], 9), word))
    return ", ".join(best[:_LABEL_WORDS]) or "no words"
