// Open the relations again that ended after an instant.
//
// An end that was planned before is lost, unless it is later than the recorded one.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   batch : INTEGER — relations in one transaction
// returns reopened : INTEGER
MATCH (a)-[r:RELATES_TO]->(b)
WHERE r.expired_at > datetime($until)
CALL (a, r, b) {
  WITH r, a.uuid + '|' + r.name + '|' + b.uuid AS key, a:Memory AND b:Memory AS keyed
  WITH r, key, keyed AND NOT EXISTS {
    MATCH ()-[other:RELATES_TO {edge_key: key}]->() WHERE other <> r
  } AS keyed
  SET
    r.invalid_at = CASE WHEN r.invalid_at > r.expired_at THEN r.invalid_at END,
    r.expired_at = null,
    r.edge_key = CASE WHEN keyed THEN key ELSE r.edge_key END
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS reopened
