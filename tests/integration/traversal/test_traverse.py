"""Walks: true order, depth and path within bounds, checked against a reference in Python."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import validate
from graph_memory.domain.models import BriefMemory
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError, NotFoundError
from graph_memory.traversal.analysis import TypeCount, analyze, structure
from graph_memory.traversal.traverse import Algorithm, Walk, Walked, WalkedRelation, traverse
from tests.conftest import TODAY, Clock, engine_with
from tests.support.mcp_client import call, inside, refused

DAYS = [TODAY + timedelta(days=days) for days in (-40, -30, -20, -10)]

CREATE = """
UNWIND $nodes AS row
CREATE (m:Entity:Memory {uuid: row.id, group_id: $group_id, name: row.id, content: row.id,
  content_hash: row.id, dedup_key: row.id, memory_type: row.type, tags: row.tags, importance: 5.0,
  importance_source: 'default', stability: 3, source: 'user', metadata_json: '{}',
  lifecycle_state: row.state, decay_score: 0.0, access_count: 0, created_at: row.created_at,
  updated_at: $now, valid_at: row.valid_at, invalid_at: row.invalid_at,
  soft_deleted_at: row.soft_deleted_at})
"""
RELATE = """
UNWIND $edges AS row
MATCH (a:Memory {uuid: row.a}) MATCH (b:Memory {uuid: row.b})
CREATE (a)-[:RELATES_TO {uuid: row.a + row.name + row.b, edge_key: row.a + '|' + row.name + '|' + row.b,
  group_id: $group_id, name: row.name, strength: row.strength, fact: '', created_at: row.created_at,
  valid_at: row.valid_at, invalid_at: row.invalid_at, expired_at: row.expired_at}]->(b)
"""  # noqa: E501
ADOPT = """
UNWIND $links AS row
MATCH (a:Memory {uuid: row.a}) MATCH (b:Memory {uuid: row.b})
CREATE (a)-[:HAS_PARENT {created_at: row.created_at}]->(b)
"""


@dataclass(frozen=True)
class Node:
    id: str
    type: str = "fact"
    tags: tuple[str, ...] = ()
    state: str = "ACTIVE"
    created_at: datetime = DAYS[0]
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    soft_deleted_at: datetime | None = None


@dataclass(frozen=True)
class Edge:
    a: str
    b: str
    name: str = "relates_to"
    strength: float = 0.5
    created_at: datetime = DAYS[0]
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None


async def build(
    driver: AsyncDriver, group: str, nodes: list[Node], edges: list[Edge], links: list[Edge]
) -> None:
    rows: list[dict[str, Any]] = [{**vars(node), "tags": list(node.tags)} for node in nodes]
    for row in rows:
        for name in ("soft_deleted_at", "valid_at", "invalid_at"):
            row[name] = row[name] and instant(row[name])
    now = instant(TODAY)
    await driver.execute_query(CREATE, nodes=rows, group_id=group, now=now)
    await driver.execute_query(RELATE, edges=[vars(e) for e in edges], group_id=group)
    await driver.execute_query(ADOPT, links=[vars(e) for e in links])


def holds(
    thing: Node | Edge, ended: datetime | None, as_of: datetime | None, known_at: datetime | None
) -> bool:
    return (
        (as_of is None or thing.valid_at is None or thing.valid_at <= as_of)
        and (thing.invalid_at is None or thing.invalid_at > (as_of or TODAY))
        and (known_at is None or thing.created_at <= known_at)
        and (ended is None or (known_at is not None and ended > known_at))
    )


class Reference:
    """A model of the database and its answers."""

    def __init__(self, nodes: list[Node], edges: list[Edge], links: list[Edge], **walk: Any):
        clocks = (walk.get("as_of"), walk.get("known_at"))
        self.nodes = {n.id: n for n in nodes if holds(n, n.soft_deleted_at, *clocks)}
        types = walk.get("relation_types")
        self.edges = [
            e
            for e in edges
            if holds(e, e.expired_at, *clocks) and (types is None or e.name in types)
        ]
        self.links = [e for e in links if holds(e, None, *clocks)]
        self.walk = walk
        self.max_depth, self.max_nodes = walk["max_depth"], walk["max_nodes"]

    def steps(self, at: str) -> list[str]:
        direction = self.walk["direction"]
        links = self.links if self.walk.get("include_parent_links") else []
        found = [(-e.strength, e.created_at, e.b) for e in self.edges if e.a == at] * (
            direction != "in"
        ) + [(-e.strength, e.created_at, e.a) for e in self.edges if e.b == at] * (
            direction != "out"
        )
        found += [(-1.0, e.created_at, e.b) for e in links if e.a == at] * (direction != "in")
        found += [(-1.0, e.created_at, e.a) for e in links if e.b == at] * (direction != "out")
        return [to for _, _, to in sorted(found) if to in self.nodes]

    def bfs(self, start: str) -> Iterator[list[str]]:
        queue, seen = [[start]], {start}
        for path in queue:
            if len(path) > self.max_depth:
                continue
            for to in self.steps(path[-1]):
                if to not in seen:
                    seen.add(to)
                    queue.append([*path, to])
                    yield queue[-1]

    def dfs(self, start: str, paths: list[list[str]]) -> Iterator[list[str]]:
        """Walk depth first, along steps that lead one further from the start."""
        distance = {path[-1]: len(path) - 1 for path in paths}
        seen = {start}

        def visit(path: list[str]) -> Iterator[list[str]]:
            for to in self.steps(path[-1]):
                if to not in seen and distance.get(to) == len(path):
                    seen.add(to)
                    yield [*path, to]
                    yield from visit([*path, to])

        return visit([start])

    def wanted(self, node: Node) -> bool:
        types, tags, states = (self.walk.get(name) for name in ("types", "tags", "states"))
        return (
            (not types or node.type in types)
            and (not tags or bool({tag.lower() for tag in node.tags} & set(tags)))
            and (not states or node.state in states)
        )

    def answer(self, start: str) -> tuple[list[list[str]], str | None]:
        paths = list(self.bfs(start))
        results = [path for path in paths if self.wanted(self.nodes[path[-1]])]
        whole = len(results) <= self.max_nodes
        results = results[: self.max_nodes]
        if self.walk["algorithm"] == "dfs":
            kept = {path[-1] for path in results}
            results = [path for path in self.dfs(start, paths) if path[-1] in kept]
        if not whole:
            return results, "nodes"
        seen = {start, *(path[-1] for path in paths)}
        deepest = [path[-1] for path in paths if len(path) == self.max_depth + 1]
        beyond = any(to not in seen for at in deepest for to in self.steps(at))
        return results, "depth" if beyond else None


def spans() -> st.SearchStrategy[dict[str, Any]]:
    moment = st.sampled_from([None, None, *DAYS])
    return st.fixed_dictionaries(
        {"created_at": st.sampled_from(DAYS), "valid_at": moment, "invalid_at": moment}
    )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Node], list[Edge], list[Edge]]:
    count = draw(st.integers(1, 9))
    timed = draw(st.booleans())
    ended = st.sampled_from([None] * 4 + DAYS)
    nodes = [
        Node(
            id=f"n{i}",
            type=draw(st.sampled_from(["fact", "task"])),
            tags=draw(st.sampled_from([(), ("Red",), ("blue", "red")])),
            state=draw(st.sampled_from(["ACTIVE", "DORMANT"])),
            **(draw(spans()) if timed and i else {}),
            soft_deleted_at=draw(ended) if i else None,
        )
        for i in range(count)
    ]
    ends = st.integers(0, count - 1)
    names = st.sampled_from(["supports", "causes", "relates_to"])
    keys = draw(st.sets(st.tuples(ends, ends, names), max_size=24))
    edges = [
        Edge(
            f"n{a}",
            f"n{b}",
            name,
            draw(st.sampled_from([0.0, 0.5, 1.0])),
            **(draw(spans()) if timed else {"created_at": draw(st.sampled_from(DAYS))}),
            expired_at=draw(ended),
        )
        for a, b, name in sorted(keys)
        if a != b
    ]
    parents = draw(st.dictionaries(ends, ends, max_size=4))
    links = [Edge(f"n{a}", f"n{b}", "has_parent", 1.0) for a, b in parents.items() if a != b]
    return nodes, edges, links


WALKS = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(["bfs", "dfs"]),
        "max_depth": st.integers(1, 5),
        "max_nodes": st.integers(1, 9),
        "direction": st.sampled_from(["out", "in", "both"]),
    },
    optional={
        "relation_types": st.just(["supports", "causes"]),
        "types": st.just(["task"]),
        "tags": st.just(["red"]),
        "states": st.just(["DORMANT"]),
        "include_parent_links": st.booleans(),
        "as_of": st.sampled_from(DAYS),
        "known_at": st.sampled_from(DAYS),
    },
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(graph=graphs(), walks=st.lists(WALKS, min_size=4, max_size=4), pages=st.booleans())
async def test_a_walk_is_the_reference_walk(
    memory: GraphMemory,
    driver: AsyncDriver,
    group: str,
    monkeypatch: pytest.MonkeyPatch,
    graph: tuple[list[Node], list[Edge], list[Edge]],
    walks: list[dict[str, Any]],
    pages: bool,
) -> None:
    nodes, edges, links = graph
    await driver.execute_query("MATCH (m:Memory {group_id: $g}) DETACH DELETE m", g=group)
    ids = {node.id: f"{group}-{node.id}" for node in nodes}
    nodes = [replace(node, id=ids[node.id]) for node in nodes]
    edges, links = (
        [replace(edge, a=ids[edge.a], b=ids[edge.b]) for edge in some] for some in (edges, links)
    )
    await build(driver, group, nodes, edges, links)
    # Answers so small that every walk has to ask again must not change it.
    monkeypatch.setattr("graph_memory.traversal.traverse._PAGE", 2 if pages else 10_000)
    for walk in walks:
        # Not through the API, which counts accesses: accesses would reactivate dormant memories.
        walked = await traverse(
            memory.context.engine,
            CallScope(group, TODAY),
            nodes[0].id,
            validate(Walk, walk),
        )
        expected, reason = Reference(nodes, edges, links, **walk).answer(nodes[0].id)
        assert [node.path for node in walked.nodes] == expected, walk
        assert walked.reason == reason, walk
        consistent(walked)


def consistent(walked: Walked) -> None:
    """Check what holds of every walk, whatever the graph."""
    assert walked.truncated == (walked.reason is not None)
    met = [node.memory_id for node in walked.nodes]
    assert len(set(met)) == len(met)
    assert walked.start.memory_id not in met
    joined = {frozenset((edge.from_id, edge.to_id)) for edge in walked.edges}
    steps = set[frozenset[str]]()
    for node in walked.nodes:
        assert node.path[0] == walked.start.memory_id
        assert node.path[-1] == node.memory_id
        assert node.depth == len(node.path) - 1
        steps |= {frozenset(pair) for pair in pairwise(node.path)}
    assert steps == joined
    assert len(walked.edges) == len(joined)


async def test_a_circle_is_walked_once(memory: GraphMemory, driver: AsyncDriver, group: str):
    ids = [f"{group}-{i}" for i in range(4)]
    ring = [Edge(a, b) for a, b in zip(ids, [*ids[1:], ids[0]], strict=True)]
    await build(driver, group, [Node(i) for i in ids], ring, [])
    for algorithm in ("bfs", "dfs"):
        walked = await memory.relations.traverse(ids[0], algorithm=algorithm, max_depth=5)
        assert [node.path for node in walked.nodes] == [ids[: n + 2] for n in range(3)]
        assert (walked.truncated, walked.reason) == (False, None)


async def test_breadth_and_depth_first_differ_as_they_should(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = [f"{group}-{i}" for i in range(5)]
    edges = [Edge(ids[a], ids[b], strength=1 - b / 10) for a, b in ((0, 1), (0, 2), (1, 3), (2, 4))]
    await build(driver, group, [Node(i) for i in ids], edges, [])
    for algorithm, order in ((Algorithm.BFS, [1, 2, 3, 4]), (Algorithm.DFS, [1, 3, 2, 4])):
        walked = await memory.relations.traverse(ids[0], algorithm=algorithm)
        assert [node.memory_id for node in walked.nodes] == [ids[i] for i in order]


async def test_depth_first_misses_nothing_behind_a_memory_that_it_meets_on_a_detour(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = {name: f"{group}-{name}" for name in "sabcd"}
    ends = {"sa": 0.9, "ab": 0.9, "bc": 0.9, "sc": 0.1, "cd": 0.5}
    edges = [Edge(ids[a], ids[b], strength=strength) for (a, b), strength in ends.items()]
    await build(driver, group, [Node(id_) for id_ in ids.values()], edges, [])
    walked = await memory.relations.traverse(ids["s"], algorithm="dfs", max_depth=3)
    assert [(node.memory_id[-1], node.depth) for node in walked.nodes] == [
        ("a", 1),
        ("b", 2),
        ("c", 1),
        ("d", 2),
    ]
    assert walked.truncated is False


async def test_a_walk_follows_any_relation_type_of_the_group(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = [f"{group}-{i}" for i in range(4)]
    names = ("WORKED_WITH", "Worked_With", "supports")
    edges = [Edge(ids[0], ids[i + 1], name=name) for i, name in enumerate(names)]
    await build(driver, group, [Node(i) for i in ids], edges, [])
    foreign = f"{group}_b"
    await build(driver, foreign, [Node(f"{foreign}-{i}") for i in range(2)], [], [])
    await driver.execute_query(
        "MATCH (a {uuid: $a}), (b {uuid: $b}) CREATE (a)-[:RELATES_TO {name: 'SECRET_OF', "
        "uuid: $a, group_id: $group}]->(b)",
        a=f"{foreign}-0",
        b=f"{foreign}-1",
        group=foreign,
    )
    for asked, reached in (
        (["WORKED_WITH"], [1]),
        (["worked_with"], [1, 2]),
        ([" WORKED_WITH ", "Supports"], [1, 3]),
        (["causes"], []),
    ):
        walked = await memory.relations.traverse(ids[0], relation_types=asked)
        assert {node.memory_id for node in walked.nodes} == {ids[i] for i in reached}
    for unknown, near in (("WORKS_WITH", "WORKED_WITH"), ("suports", "supports")):
        with pytest.raises(InvalidArgumentError, match=f"the nearest are .*{near}"):
            await memory.relations.traverse(ids[0], relation_types=[unknown])
    with pytest.raises(InvalidArgumentError) as refusal:
        await memory.relations.traverse(ids[0], relation_types=["SECRET_OF"])
    assert "SECRET_OF" not in refusal.value.expected


async def test_a_walk_goes_in_the_direction_given(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    before, start, after = (f"{group}-{i}" for i in range(3))
    edges = [Edge(before, start), Edge(start, after)]
    await build(driver, group, [Node(i) for i in (before, start, after)], edges, [])
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({}, {after}),
        ({"direction": "out"}, {after}),
        ({"direction": "in"}, {before}),
        ({"direction": "both"}, {before, after}),
    ]
    for asked, reached in cases:
        walked = await memory.relations.traverse(start, counted=False, **asked)
        assert {node.memory_id for node in walked.nodes} == reached
        assert {(edge.from_id, edge.to_id) for edge in walked.edges} <= {
            (edge.a, edge.b) for edge in edges
        }


async def test_a_walk_and_an_analysis_store_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = await linked(driver, group, 3, [(0, 1), (1, 2)])

    async def stored() -> list[Any]:
        found = await driver.execute_query(
            "MATCH (n {group_id: $group}) OPTIONAL MATCH (n)-[r]-(other) "
            "RETURN n {.*} AS n, collect(DISTINCT r {.*}) AS relations, count(other) AS others "
            "ORDER BY n.uuid",
            group=group,
        )
        return [record.data() for record in found.records]

    before = await stored()
    await memory.relations.analyze()
    await memory.relations.analyze(ids[1])
    await memory.relations.traverse(ids[0], direction="both", counted=False)
    await memory.context.accesses.flush()
    assert await stored() == before


async def test_a_parent_link_is_named_by_the_way_it_is_walked(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    child, parent = f"{group}-child", f"{group}-parent"
    await build(driver, group, [Node(child), Node(parent)], [], [Edge(child, parent)])
    assert (await memory.relations.traverse(child)).nodes == []
    up = await memory.relations.traverse(child, include_parent_links=True)
    down = await memory.relations.traverse(parent, include_parent_links=True, direction="in")
    assert up.edges == [WalkedRelation(child, parent, "has_parent", 1.0)]
    assert down.edges == [WalkedRelation(parent, child, "parent_of", 1.0)]


async def test_a_walk_tells_of_memories_in_brief_and_in_the_words_of_then(
    memory: GraphMemory, clock: Clock
):
    start = await memory.add("the start")
    met = await memory.add("as it was", tags=["Red"], importance=7, memory_type="task")
    await memory.relations.add(start.memory_id, met.memory_id)
    clock.advance(days=1)
    await memory.update(met.memory_id, content="as it is")
    for known_at, content in ((TODAY, "as it was"), (None, "as it is")):
        (node,) = (await memory.relations.traverse(start.memory_id, known_at=known_at)).nodes
        assert (node.content, node.created_at, node.valid_at) == (content, TODAY, TODAY)
    whole = await memory.get(met.memory_id, counted=False)
    brief = {name: getattr(node, name) for name in BriefMemory.__slots__}
    assert brief == {name: getattr(whole, name) for name in brief}


async def test_a_walk_stays_in_its_group(memory: GraphMemory, driver: AsyncDriver, group: str):
    ours, theirs = f"{group}-ours", f"{group}-theirs"
    await build(driver, group, [Node(ours)], [], [])
    await build(driver, f"{group}_other", [Node(theirs)], [Edge(ours, theirs)], [])
    assert (await memory.relations.traverse(ours, direction="both")).nodes == []
    with pytest.raises(NotFoundError):
        await memory.relations.traverse(theirs)
    assert await memory.relations.traverse(theirs, group_id=f"{group}_other")


async def test_a_hub_is_walked_within_bounds(memory: GraphMemory, driver: AsyncDriver, group: str):
    hub, leaves = f"{group}-hub", [f"{group}-{i:04}" for i in range(3000)]
    edges = [Edge(hub, leaf, strength=i / 3000) for i, leaf in enumerate(leaves)]
    await build(driver, group, [Node(i) for i in (hub, *leaves)], edges, [])
    everything = engine_with(memory, traversal_fan=5000)
    for algorithm in Algorithm:
        walk = Walk(algorithm=algorithm, max_nodes=50)
        exact = await traverse(everything, CallScope(group, TODAY), hub, walk)
        assert [node.memory_id for node in exact.nodes] == leaves[:-51:-1]
        assert exact.reason == "nodes"
        cut = await memory.relations.traverse(hub, algorithm=algorithm, max_nodes=1000)
        assert len({node.memory_id for node in cut.nodes}) == 1000
        assert cut.reason == "nodes"
        again = await memory.relations.traverse(hub, algorithm=algorithm, max_nodes=1000)
        assert [node.path for node in cut.nodes] == [node.path for node in again.nodes]


async def test_a_walk_out_of_time_returns_how_far_it_came(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = [f"{group}-{i}" for i in range(6)]
    chain = [Edge(a, b) for a, b in pairwise(ids)]
    await build(driver, group, [Node(i) for i in ids], chain, [])
    for algorithm in ("bfs", "dfs"):
        whole = await memory.relations.traverse(ids[0], algorithm=algorithm, max_depth=5)
        part = await memory.relations.traverse(
            ids[0], algorithm=algorithm, max_depth=5, time_budget_ms=1
        )
        assert (part.truncated, part.reason) == (True, "time")
        assert len(part.nodes) < len(whole.nodes) == 5
        assert [n.path for n in part.nodes] == [n.path for n in whole.nodes][: len(part.nodes)]


@pytest.mark.parametrize("statement", ["steps", "reached"])
async def test_the_time_budget_bounds_the_walk_and_the_reading_of_its_memories(
    memory: GraphMemory,
    driver: AsyncDriver,
    group: str,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
):
    ids = [f"{group}-{i}" for i in range(3)]
    await build(driver, group, [Node(i) for i in ids], [Edge(a, b) for a, b in pairwise(ids)], [])
    fetch: Any = Graph.rows

    async def slow(self: Graph, name: str, *args: Any, **parameters: Any) -> Any:
        if name.endswith(statement):
            await asyncio.sleep(600)
        return await fetch(self, name, *args, **parameters)

    monkeypatch.setattr(Graph, "rows", slow)
    walked = await memory.relations.traverse(ids[0], time_budget_ms=500)
    assert (walked.nodes, walked.truncated, walked.reason) == ([], True, "time")
    assert walked.start.memory_id == ids[0]


async def test_the_default_budget_is_a_setting(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = [f"{group}-{i}" for i in range(6)]
    await build(driver, group, [Node(i) for i in ids], [Edge(a, b) for a, b in pairwise(ids)], [])
    hasty = engine_with(memory, traversal_time_budget_ms=1)
    walked = await traverse(hasty, CallScope(group, TODAY), ids[0], Walk())
    assert walked.reason == "time"


@pytest.mark.parametrize(
    ("argument", "value", "range_"),
    [
        ("max_depth", 0, "1 to 5"),
        ("max_depth", 6, "1 to 5"),
        ("max_nodes", 1001, "1 to 1000"),
        ("time_budget_ms", 0, "1 to 60000"),
        ("algorithm", "random", "'bfs' or 'dfs'"),
        ("direction", "up", "'out', 'in' or 'both'"),
        ("colour", "red", "max_depth"),
    ],
)
async def test_a_bad_bound_is_named_with_its_range(
    memory: GraphMemory, argument: str, value: Any, range_: str
):
    with pytest.raises(InvalidArgumentError) as caught:
        await memory.relations.traverse("any", **{argument: value})
    assert caught.value.argument == argument
    assert range_ in str(caught.value)


async def test_the_settings_can_lower_the_bounds(memory: GraphMemory):
    lower = engine_with(memory, traversal_max_depth=2)
    with pytest.raises(InvalidArgumentError, match="1 to 2"):
        await traverse(lower, CallScope("default", TODAY), "any", Walk(max_depth=3))


async def test_an_unknown_start_is_not_found(memory: GraphMemory):
    with pytest.raises(NotFoundError):
        await memory.relations.traverse("nobody")


async def linked(driver: AsyncDriver, group: str, count: int, pairs: list[tuple[int, int]]):
    """Build `count` memories and relations between them; return the ids."""
    ids = [f"{group}-{i}" for i in range(count)]
    await build(driver, group, [Node(i) for i in ids], [Edge(ids[a], ids[b]) for a, b in pairs], [])
    return ids


async def test_an_analysis_finds_bridges_islands_and_connectors(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    """Two triangles joined by 2-3, a pair, and a memory alone."""
    pairs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (6, 7), (7, 6)]
    ids = await linked(driver, group, 9, pairs)
    whole = await memory.relations.analyze()
    assert (whole.memories, whole.relations, whole.isolated) == (9, 9, 1)
    assert (whole.islands, whole.island_count, whole.truncated) == ([6, 2], 2, False)
    assert [(b.from_id, b.to_id, b.separates) for b in whole.bridges] == [
        (ids[2], ids[3], 3),
        (ids[6], ids[7], 1),
    ]
    assert whole.by_type == {"relates_to": TypeCount(9, 0.5)}
    assert [c.memory_id for c in whole.top_connectors[:2]] == [ids[2], ids[3]]
    assert whole.top_connectors[0].degree == 3
    near = await memory.relations.analyze(ids[7], top=1)
    assert (near.in_degree, near.out_degree, near.memories, near.relations) == (1, 1, 2, 2)
    assert len(near.top_connectors) == len(near.bridges) == 1
    alone = await memory.relations.analyze(ids[8])
    assert (alone.in_degree, alone.out_degree, alone.isolated) == (0, 0, 1)


async def test_an_analysis_is_bounded_and_of_known_memories(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = await linked(driver, group, 20, [(0, i) for i in range(1, 20)])
    few = engine_with(memory, analysis_max_relations=10)
    cut = await analyze(few, CallScope(group, TODAY), None, top=3)
    assert (cut.relations, cut.truncated, len(cut.top_connectors)) == (10, True, 3)
    with pytest.raises(NotFoundError):
        await memory.relations.analyze("nobody")
    with pytest.raises(InvalidArgumentError, match="top=0"):
        await memory.relations.analyze(ids[0], top=0)


async def test_an_analysis_sees_what_held_then(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    a, b, c = (f"{group}-{i}" for i in "abc")
    nodes = [Node(a), Node(b), Node(c, soft_deleted_at=DAYS[2])]
    edges = [Edge(a, b, invalid_at=DAYS[1]), Edge(b, c)]
    await build(driver, group, nodes, edges, [])
    assert (await memory.relations.analyze()).relations == 0
    assert (await memory.relations.analyze(as_of=DAYS[0])).relations == 1
    assert (await memory.relations.analyze(known_at=DAYS[1], as_of=DAYS[0])).relations == 2
    assert (await memory.relations.analyze(b, known_at=DAYS[1])).out_degree == 1


@settings(max_examples=200, deadline=None)
@given(
    pairs=st.sets(
        st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] != p[1]), max_size=14
    )
)
def test_a_bridge_is_what_parts_an_island_when_removed(pairs: set[tuple[int, int]]):
    def parts(kept: set[frozenset[str]]) -> int:
        groups = [{id_} for id_ in {str(end) for pair in pairs for end in pair}]
        for pair in kept:
            joined = [g for g in groups if g & pair]
            groups = [g for g in groups if not g & pair] + [set[str]().union(*joined)]
        return len(groups)

    relations = [WalkedRelation(str(a), str(b), "relates_to", 0.5) for a, b in pairs]
    joined = {frozenset((r.from_id, r.to_id)) for r in relations}
    bridges, islands = structure(relations)
    expected = {pair for pair in joined if parts(joined - {pair}) > parts(joined)}
    assert {frozenset((bridge.from_id, bridge.to_id)) for bridge in bridges} == expected
    assert len(islands) == parts(joined)
    assert sum(islands) == len({end for pair in pairs for end in pair})


async def test_the_tools_answer_what_the_api_does(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    ids = await linked(driver, group, 4, [(0, 1), (1, 2)])
    async with inside(memory, toolsets=("graph", "compat")) as client:
        walk = {"start_memory_id": ids[0], "algorithm": "DFS", "max_depth": 1}
        walked = await call(client, "memory_traverse", **walk, detail="full")
        assert walked["start"]["memory_id"] == ids[0]
        (node,) = walked["nodes"]
        assert (node["memory_id"], node["depth"], node["path"]) == (ids[1], 1, ids[:2])
        assert walked["edges"] == [
            {
                "from_id": ids[0],
                "to_id": ids[1],
                "relation_type": "relates_to",
                "strength": 0.5,
                "via": None,
            }
        ]
        assert (walked["truncated"], walked["reason"]) == (True, "depth")
        analysis = await call(client, "memory_graph_analysis", memory_id=ids[1])
        assert (analysis["in_degree"], analysis["out_degree"]) == (1, 1)
        assert analysis["by_type"] == {"relates_to": {"count": 2, "avg_strength": 0.5}}
        _, data = await refused(client, "memory_traverse", start_memory_id=ids[0], max_depth=6)
        assert (data["code"], data["argument"]) == ("invalid_argument", "max_depth")
        _, data = await refused(client, "memory_traverse", start_memory_id="nobody")
        assert data["code"] == "not_found"
        again = await call(client, "memory_graph_search", start_memory_id=ids[0])
        assert again["deprecated_alias_of"] == "memory_traverse"
        assert len(again["nodes"]) == 2
        _, data = await refused(client, "memory_graph_search")
        assert data["code"] == "invalid_argument"


async def test_a_graph_search_begins_at_the_best_answer(memory: GraphMemory):
    tea = await memory.add("Ada prefers green tea")
    why = await memory.add("She worked in Kyoto for a year")
    await memory.relations.add(tea.memory_id, why.memory_id, "caused_by")
    async with inside(memory, toolsets=("compat",)) as client:
        walked = await call(client, "memory_graph_search", query="what does Ada drink? green tea")
        assert walked["start"]["memory_id"] == tea.memory_id[:8]
        assert [node["memory_id"] for node in walked["nodes"]] == [why.memory_id[:8]]
        _, data = await refused(client, "memory_graph_search", query="tea", group_id="nobody")
        assert data["code"] == "not_found"
    assert (await memory.get(tea.memory_id, counted=False)).access_count == 1
