// Expire a memory for a reason; one that supersedes it ends its validity.
//
// It was true until the other became true, or until now where that is not later. When that was
// recorded stays known, also of one that is woken again.
//
// access  write
// param   group_id      : STRING — the tenant
// param   memory_id     : STRING
// param   reason        : STRING
// param   superseded_by : STRING? — the memory that holds instead
// param   relation_id   : STRING — of the relation `supersedes`, if one is made
// param   now           : STRING — ISO 8601, UTC
// returns memory_id   : STRING
// returns state       : STRING
// returns obsolete_at : STRING
// returns invalid_at  : STRING?
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include memories/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
OPTIONAL MATCH (other:Memory {uuid: $superseded_by, group_id: $group_id})
WHERE other.soft_deleted_at IS NULL
WITH m, other
WHERE $superseded_by IS NULL OR other IS NOT NULL
CALL (m) {
  // include decay/next_state
  WITH *, 'obsolete' AS reason, 'EXPIRED' AS entered
  // include decay/enter
}
SET
  m.obsolete_at = $now,
  m.obsolete_reason = $reason,
  m.invalid_at = CASE
    WHEN other IS NULL THEN m.invalid_at
    WHEN other.valid_at > m.valid_at THEN other.valid_at
    ELSE $now
  END,
  m.ended_at = CASE WHEN other IS NULL THEN m.ended_at ELSE $now END
FOREACH (winner IN CASE WHEN other IS NULL THEN [] ELSE [other] END |
  MERGE (winner)-[r:RELATES_TO {edge_key: winner.uuid + '|supersedes|' + m.uuid}]->(m)
  ON CREATE SET
    r.uuid = $relation_id, r.group_id = $group_id, r.group_key = winner.group_key,
    r.name = 'supersedes', r.strength = 1.0,
    r.fact = winner.name + ' supersedes ' + m.name, r.episodes = [], r.metadata_json = '{}',
    r.created_at = datetime($now), r.valid_at = datetime($now)
)
WITH m
// include decay/schedule
RETURN m.uuid AS memory_id, m.lifecycle_state AS state, m.obsolete_at AS obsolete_at,
       m.invalid_at AS invalid_at
