// List the retention of the most important memories, and the days since their last use.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER
// returns state      : STRING
// returns importance : FLOAT
// returns idle_days  : FLOAT [d]
// returns retention  : FLOAT [1] — 1 fresh to 0 gone
// variant sound
MATCH (m:Memory {group_id: $group_id})
WITH m ORDER BY m.importance DESC, m.created_at DESC LIMIT $limit
// include decay/score
RETURN m.lifecycle_state AS state, m.importance AS importance,
       idle_ms / 86400000.0 AS idle_days, 1.0 - faded AS retention
