"""Every statement is planned by a real Neo4j without a warning, and reads use their indexes."""

import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from neo4j import AsyncDriver, ResultSummary
from neo4j.vector import Vector

from graph_memory import GraphMemory, Settings, read_settings
from graph_memory.database.graph import Graph
from graph_memory.database.statements import Parameter, Statement, statements
from graph_memory.domain.properties import MEMORY_PROPERTIES
from graph_memory.inference.embedder import Embedder
from graph_memory.reporting.browser import browser_queries

QUERIES = browser_queries(read_settings())

#: Properties that other statements or later stages write, so that naming them is no typo.
ALL_PROPERTIES = """
CREATE (m:Memory:Seed {preserve_until: '', soft_deleted_at: '', obsolete_at: '', project_id: '',
  conversation_id: '', confidence: 0.5, decay_policy: '', decay_rate: 0.1, last_accessed_at: '',
  dedup_key: 'seed', uuid: 'seed', group_id: 'seed', group_key: '0'})
CREATE (m)-[:RELATES_TO {invalid_at: datetime('2026-01-01'), expired_at: datetime('2026-01-01'),
  valid_at: datetime('2026-01-01'), edge_key: 'seed', purged_key: '', original_relation_type: '',
  reference_time: datetime('2026-01-01'), adopted_at: '', fact_embedding: [0.5],
  embedding_model: '', had_vector: true, was_fact_embedding: [0.5], learned_strength: 0.5,
  use_count: 1, last_used_at: '', past_uses: 1, past_used_at: ''}]->(m)
CREATE (m)-[:HAS_VERSION]->(:MemoryVersion {uuid: 'seed', group_id: 'seed'})
CREATE (m)-[:HAS_WORDS]->(:WordVectors {group_id: 'seed', vectors: ''})
CREATE (m)-[:HAS_PASSAGE]->(:Passage {group_id: 'seed', start: 0, end: 1, word_vectors: '',
  embedding: [0.5]})
CREATE (m)-[:HAS_PARENT]->(m)
CREATE (m)-[:HAS_PROPOSAL]->(:Proposal {uuid: 'seed', group_id: 'seed', kind: '', score: 0.0,
  from_id: 'seed', to_id: 'seed', reason: '', status: '', run_id: '', created_at: '',
  decided_at: '', decided_by: '', decided_run_id: '', relation_id: '', before: '', after: ''})
CREATE (m)-[:HAS_MENTION {text: '', starts: [0], ends: [1]}]->(:NamedEntity:Seed
  {uuid: 'seed', group_id: 'seed', kind: '', key: ''})
CREATE (m)-[:HAD_MENTION]->(m)-[:SAME_AS {uuid: 'seed', proposal_id: 'seed', run_id: '',
  score: 0.5, created_at: ''}]->(m)
CREATE (:LearningChange:Seed {run_id: 'seed', group_id: 'seed', stage: '', at: '',
  memory_ids: ['seed'], before: [''], after: [''], earlier: [''], to_ids: ['seed'],
  relation_ids: ['seed'], before_is_compressed: true})
CREATE (:Conversation:Seed {conversation_key: 'seed', group_id: 'seed', last_memory_id: 'seed'})
  -[:HAS_TURN {position: 0, role: '', at: ''}]->(m)
CREATE (:Control:Seed {key: 'seed', lean: 0.0, useful: 0, useless: 0, passages: true, learned: '',
  single_valued_slots: ['']})
  -[:HAS_LESSON]->(:Lesson:Seed {group_id: 'seed', key: 'seed', at: '', question: '',
  memory_ids: ['seed'], measures: [''], values: [0.0], scales: [0.0], quotes: [0.0],
  instants: [0.0], conversations: [0], learned: true, useful_ids: ['seed'], useless_ids: ['seed']})
CREATE (:Session:Seed {session_id: 'seed', group_id: 'seed', revision: '', total_tokens: 0,
  loaded_ids: ['seed'], loaded_positions: [0], loaded_versions: [''], history: [''],
  recent_ids: ['seed'], recent_positions: [0], recent_versions: [''], checked: 0,
  updated_at: '', used_ids: ['seed'], used_at: ['']})
CREATE (:Control:Seed {key: 'seeds', secret: '', receipt: '', memory_ids: [''], group_id: '',
  owner: '', expires_at: '', asked_at: '', since: '', reason: '',
  held_seconds: 0.0, busy_seconds: 0.0, mark: '', memories: 0, value: 0, at: '', before: '',
  until: ''})
CREATE (:AccessToken:Seed {token_id: 'seed', sha256: 'seed', name: '', scope: '', authority: '',
  groups: [''], created_at: '', expires_at: '', revoked_at: ''})
CREATE (:GroupBefore:Seed {group_id: 'seed', was: ''})
CREATE (:Community:Seed {group_id: 'seed'})-[:HAS_MEMBER {group_id: 'seed'}]->(:Saga:Seed
  {group_id: 'seed'})-[:HAS_EPISODE {group_id: 'seed'}]->(:Seed)-[:NEXT_EPISODE
  {group_id: 'seed'}]->(:Seed)
CREATE (:EntityBefore:Seed {uuid: 'seed', group_id: 'seed', was_memory: true,
  had_vector: true, was_name_embedding: [0.5]})
CREATE (:EpisodeQueue:Seed {group_id: 'seed', last: 0, claimed_at: ''})
CREATE (:EpisodeJob:Seed {job_id: 'seed', group_id: 'seed', position: 0, status: 'done',
  attempts: 0, name: '', content: '', source: '', source_description: '', reference_time: '',
  entity_types: '',
  saga: '', update_communities: false, created_at: '', updated_at: '', not_before: '', owner: '',
  lease_until: '', error: '', episode_id: '', entities: 0, facts: 0})
CREATE (e:Episodic:Seed {uuid: 'seed', group_id: 'seed', name: '', source: '', content: '',
  source_description: '', entity_edges: [''], created_at: datetime('2026-01-01'),
  valid_at: datetime('2026-01-01')})-[:MENTIONS {uuid: 'seed', group_id: 'seed',
  created_at: datetime('2026-01-01')}]->(m)
CREATE (:PurgedMemory:Seed {uuid: 'seed', group_id: 'seed', purged_at: '', purged_by: '',
  soft_deleted_at: '', content_hash: ''})
CREATE (:Tombstone:Seed {uuid: 'seed', group_id: 'seed', key: 'seed', bucket: 'seed', sketch: [1],
  slots: [''], reason: '', note: '', created_at: '', by: '', memory_id: 'seed'})
CREATE (:PendingWrite:Seed {uuid: 'seed', group_id: 'seed', pending_key: 'seed', kind: 'add',
  content: '', arguments_json: '{}', memory_id: '', rule: '', created_at: '',
  origin_authority: '', origin_way_in: '', origin_caller: '', origin_id: ''})
CREATE (:Control:Seed {key: 'tombstone_key|seed', secret: ''})
CREATE (:Control:Seed {key: 'move|seed', from_server: '', to_server: '', phase: '', started_at: ''})
CREATE (:MovedCopy:Seed {group_id: 'seed', moved_labels: ['']})
CREATE (:KeptTombstone:Seed {group_id: 'seed', key: 'seed', secret: ''})
CREATE (:MaintenanceRun:Seed {run_id: 'seed', now: '', started_at: '', status: '', stages: [''],
  stages_done: [''], groups: [''], canary: 0, full: true, treated_to: '', rules: '',
  policy: '', processed: 0, soft_deleted: 0, purged: 0, compressed: 0, classified: 0,
  learned: 0, embedded: 0, errors: 0, failed: '', transitioned: '', duration_seconds: 0.0,
  truncated: false})
CREATE (:MaintenanceChange:Seed {run_id: 'seed', memory_id: 'seed', group_id: '', at: '',
  before_lifecycle_state: '', before_state_changed_at: '', before_state_reason: '',
  before_state_history: [''], before_soft_deleted_at: '', before_dedup_key: '',
  before_obsolete_at: '', before_obsolete_reason: '', before_tags: [''],
  before_preserve_until: '', before_confidence: 0.5, before_confidence_decayed_at: '',
  before_decay_score: 0.5, before_last_decay_update: '', after_obsolete_at: '',
  after_lifecycle_state: '', after_state_changed_at: '', after_tags: [''],
  after_preserve_until: '', after_confidence: 0.5, purged: true, erased: true,
  before_importance: 5.0,
  before_importance_source: '', before_stability: 3, before_stability_source: '',
  before_classification_attempts: 1, after_importance: 5.0, after_importance_source: '',
  after_stability: 3, after_stability_source: ''})
SET m.obsolete_reason = '', m.packing_due = true, m.confidence_decayed_at = '', m.obsolete_at = '',
  m.content_gz = '', m.is_compressed = true, m.next_due_at = '', m.classification_attempts = 1,
  m.adopted_at = '', m.name_embedding = [0.5], m.name_embedding_model = ''
SET m.valid_at = '', m.invalid_at = '', m.ended_at = ''
"""

#: Many small groups, in which each memory has more relations and mentions than there are memories.
#: A group looks small and a relation costly, so the planner prefers to read the group, if it can.
OTHER_GROUPS = """
UNWIND range(1, 200) AS number
WITH 'seed' + number AS name
CALL (name) {
  UNWIND range(1, 3) AS i
  CREATE (m:Memory:Entity:Seed {uuid: name + '-' + i, group_id: name, lifecycle_state: 'ACTIVE',
    conversation_id: 'c', created_at: datetime()})
  CREATE (e:NamedEntity:Seed {uuid: name + '-entity-' + i, group_id: name})
  RETURN collect(m) AS memories, collect(e) AS entities
}
UNWIND memories AS a
UNWIND range(0, 2) AS i
WITH a, memories[i] AS b, entities[i] AS e, entities[0] AS first
CREATE (a)-[:RELATES_TO]->(b), (a)-[:RELATES_TO]->(b), (a)-[:HAS_PARENT]->(b),
  (a)-[:HAS_MENTION]->(e), (a)-[:HAS_MENTION]->(e), (e)-[:SAME_AS]->(first)
"""

DUMMIES: dict[str, Any] = {
    "STRING": "2026-01-01T00:00:00.000Z",
    "INTEGER": 10,
    "FLOAT": 0.5,
    "BOOLEAN": True,
    "MAP": {},
    "VECTOR": Vector.from_numpy(np.ones(384, dtype=np.float32)),
    "LIST<STRING>": ["a"],
    "LIST<FLOAT>": [0.5, 0.3, 0.2],
    "LIST<INTEGER>": [1],
    "LIST<MAP>": [{}],
}


@pytest_asyncio.fixture(scope="module")
async def seeded(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    driver: AsyncDriver,
) -> AsyncIterator[None]:
    own = settings.model_copy(update={"group_id": f"test_{secrets.token_hex(8)}"})
    memory = GraphMemory.over(graph, embedder, own)
    parent = await memory.add("a parent", project_id="p", conversation_id="c", confidence=0.5)
    child = await memory.add("a child", parent_id=parent.memory_id, decay_rate=0.1)
    await memory.relations.add(child.memory_id, parent.memory_id)
    await memory.update(child.memory_id, content="a child, rewritten")
    await driver.execute_query("MATCH (s:Seed) DETACH DELETE s")
    await driver.execute_query(ALL_PROPERTIES)
    # The names of properties are global, so a node of any label makes them known.
    await driver.execute_query(
        "CREATE (s:Seed) SET s = $properties", properties=dict.fromkeys(MEMORY_PROPERTIES, "")
    )
    await driver.execute_query(OTHER_GROUPS)
    # Plans must not rest on statistics or plans from before the seeds.
    await driver.execute_query("CALL db.prepareForReplanning(60)")
    yield
    await driver.execute_query(
        "MATCH (s:Seed) OPTIONAL MATCH (s)-->(v:MemoryVersion|WordVectors|Passage|Proposal) "
        "DETACH DELETE s, v"
    )


def dummy(parameter: Parameter) -> Any:
    return DUMMIES[parameter.type]


async def explained(statement: Statement, driver: AsyncDriver) -> ResultSummary:
    """Return the summary of a statement that was planned and not run."""
    parameters = {name: dummy(p) for name, p in statement.parameters.items()}
    async with driver.session() as session:
        result = await session.run("EXPLAIN " + statement.packed, statement.pack(parameters))  # type: ignore[arg-type]
        return await result.consume()


def warnings(summary: ResultSummary) -> list[str]:
    return [
        status.status_description
        for status in summary.gql_status_objects
        if status.is_notification and status.raw_severity == "WARNING"
    ]


def steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("children", []):
        yield from steps(child)


def operator(step: dict[str, Any]) -> str:
    return step.get("operatorType", "").split("@")[0]


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield from map(operator, steps(plan))


def groups_read_for_a_relation(plan: dict[str, Any]) -> list[str]:
    """Return the seeks that read all nodes of a group to find the end of a relation."""
    details = [
        found.get("args", {}).get("Details", "")
        for step in steps(plan)
        if operator(step) in {"Expand(Into)", "VarLengthExpand(Into)", "CartesianProduct"}
        for found in steps(step)
        if operator(found) == "NodeIndexSeek"
    ]
    return [seek for seek in details if "(group_id" in seek and "uuid" not in seek]


@pytest.mark.parametrize(
    "statement",
    [s for s in statements().values() if s.access != "schema"],
    ids=lambda s: s.name,
)
async def test_a_statement_is_planned_without_a_warning(
    statement: Statement, driver: AsyncDriver, seeded: None
) -> None:
    summary = await explained(statement, driver)
    assert warnings(summary) == []
    plan = dict(summary.plan or {})
    assert groups_read_for_a_relation(plan) == []
    used = set(operators(plan))
    if statement.access == "read":
        assert not used & {"AllNodesScan", "CartesianProduct"}, used
    if "group_id" in statement.parameters:
        assert "NodeByLabelScan" not in used, "a tenant's call would read every tenant's memories"


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
async def test_a_saved_query_of_the_browser_is_planned_without_a_warning(
    query: str, driver: AsyncDriver, seeded: None
) -> None:
    parameters = {"group": "g", "memory_id": "m"}
    async with driver.session() as session:
        result = await session.run("EXPLAIN " + query, parameters)  # type: ignore[arg-type]
        summary = await result.consume()
    assert warnings(summary) == []
    plan = dict(summary.plan or {})
    assert groups_read_for_a_relation(plan) == []
    used = set(operators(plan))
    assert not used & {"AllNodesScan", "CartesianProduct"}, used
    assert "$group" not in query or "NodeByLabelScan" not in used, used


@pytest.mark.parametrize(
    "name",
    [
        "search/listing/by_created_at",
        "search/listing/by_importance",
        "transfer/import_export/export",
        "maintenance/reembedding/candidates",
        "maintenance/undo/changed",
        "backup/tombstones/memories",
        "diagnostics/repair/damaged",
        "diagnostics/repair/mistyped",
        "learning/aliases/texts",
        "learning/slots/texts",
        "memories/confidence/scan",
    ],
)
async def test_a_page_is_read_in_the_order_of_an_index(
    name: str, driver: AsyncDriver, seeded: None
) -> None:
    summary = await explained(statements()[name], driver)
    assert set(operators(dict(summary.plan or {}))) & {"PartialTop", "Limit"}
