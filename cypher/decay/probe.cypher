// Compute the curves of a policy for memories that exist only during the statement.
//
// access  write
// param   group_id : STRING — the tenant of the made-up memories
// param   policy   : STRING
// returns importance : FLOAT
// returns stability  : INTEGER
// returns curve      : MAP
UNWIND [1.0, 5.0, 10.0] AS importance
UNWIND range(1, 5) AS stability
CREATE (m:PolicyProbe {
  uuid: 'probe', group_id: $group_id, importance: importance, stability: stability,
  memory_type: 'fact', tags: [], access_count: 3, lifecycle_state: 'ACTIVE'
})
WITH importance, stability, m, CASE $policy
  // include decay/policies/*
END AS curve
DELETE m
RETURN importance, stability, curve
