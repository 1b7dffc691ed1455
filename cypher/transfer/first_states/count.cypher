// Count memories that an import would store without a state of their own, by the state they get.
//
// The memories exist only during the statement.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — properties, see below
// returns state : STRING
// returns count : INTEGER
UNWIND $memories AS row
CREATE (m:PolicyProbe {group_id: $group_id, lifecycle_state: 'ACTIVE'})
SET
  m.created_at = datetime(row.created_at),
  m.updated_at = row.updated_at,
  m.last_accessed_at = row.last_accessed_at,
  m.access_count = row.access_count,
  m.importance = row.importance,
  m.stability = row.stability,
  m.confidence = row.confidence,
  m.memory_type = row.memory_type,
  m.tags = row.tags,
  m.decay_policy = row.decay_policy,
  m.decay_rate = row.decay_rate,
  m.preserve_until = row.preserve_until,
  m.unprotected_at = row.unprotected_at,
  m.obsolete_at = row.obsolete_at
WITH m
// include decay/first_state
DELETE m
WITH entered AS state, count(*) AS count
RETURN state, count
ORDER BY state
