// Find the memories `m` that were stated in a short period that the question names.
//
// A question such as "what happened on 3 May?" shares neither words nor meaning with most of them.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   now        : STRING — ISO 8601, UTC
// param   periods    : LIST<MAP> — `start` and `end` of each, ISO 8601; often empty
// param   stated     : INTEGER — most memories of each period that are read, the earliest
// param   dated      : INTEGER — most memories, the nearest in meaning
// param   vector     : VECTOR — the question, unit length
UNWIND $periods AS period
CALL (period) {
  MATCH (m:Memory {group_id: $group_id})
  USING INDEX m:Memory(group_id, created_at)
  WHERE m.created_at >= datetime(period.start) AND m.created_at < datetime(period.end)
  WITH m ORDER BY m.group_id, m.created_at LIMIT $stated
  RETURN m
}
WITH DISTINCT m
WHERE m.lifecycle_state IN $states AND (m.invalid_at IS NULL OR m.invalid_at > $now)
WITH m ORDER BY coalesce(vector.similarity.cosine(
    // include fragments/memory/vector
  , $vector), 0.0) DESC, m.uuid LIMIT $dated
