// Compute the retention of unused memories over time, by memories that exist during the query only.
//
// access  write
// param   group_id : STRING — the tenant whose policy holds
// param   days     : LIST<INTEGER> [d] — days unused, >= 0
// param   now      : STRING — ISO 8601, UTC
// returns stability : INTEGER
// returns day       : INTEGER [d]
// returns retention : FLOAT [1] — 1 fresh to 0 gone, of importance 5
UNWIND range(1, 5) AS stability
UNWIND $days AS day
CREATE (m:PolicyProbe {
  uuid: 'probe', group_id: $group_id, importance: 5.0, stability: stability,
  memory_type: 'general', tags: [], access_count: 0, lifecycle_state: 'ACTIVE',
  updated_at: toString(datetime($now) - duration({days: day}))
})
WITH stability, day, m
// include decay/score
DELETE m
RETURN stability, day, 1.0 - faded AS retention
ORDER BY stability, day
