// Try a policy on memories that are made for it and gone with the statement.
//
// access  write
// param   group_id : STRING — the tenant they seem to be of
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
