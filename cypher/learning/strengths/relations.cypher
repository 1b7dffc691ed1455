// Stream the relations of a group that hold now and were used or learned, with what decides.
//
// A use is a session that used both memories. Relations keep the uses of sessions that are deleted.
//
// access  stream
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// returns relation_id  : STRING
// returns from_id      : STRING
// returns to_id        : STRING
// returns name         : STRING — type of the relation
// returns given        : FLOAT [1] — strength that a caller gave
// returns uses         : INTEGER
// returns last_used_at : STRING? — ISO 8601, UTC
// returns strength     : FLOAT? [1] — as learned before
// returns use_count    : INTEGER? — from which it was learned
// returns used_at      : STRING? — from which it was learned
CALL () {
  MATCH (s:Session)
  WHERE s.session_id STARTS WITH $group_id + '|' AND size(s.used_ids) > 1
  CALL (s) {
    // include fragments/session/used_together
    RETURN r, used_at
  }
  RETURN r, 1 AS uses, used_at
UNION ALL
  MATCH (:Memory {group_id: $group_id})-[r:RELATES_TO]->(end:Memory)
  WHERE coalesce(end.group_id = $group_id, false)
    AND (r.past_uses IS NOT NULL OR r.learned_strength IS NOT NULL)
  RETURN r, coalesce(toIntegerOrNull(r.past_uses), 0) AS uses,
         toStringOrNull(r.past_used_at) AS used_at
}
WITH r, sum(uses) AS uses, max(used_at) AS last_used_at
WITH r, uses, last_used_at, startNode(r) AS m
WHERE (r.invalid_at > datetime($now) OR r.invalid_at IS NULL AND r.expired_at IS NULL)
  AND r.uuid IS :: STRING NOT NULL
  AND
  // include fragments/maintenance/in_canary
RETURN r.uuid AS relation_id, m.uuid AS from_id, endNode(r).uuid AS to_id,
       coalesce(toStringOrNull(r.name), 'relates_to') AS name,
       coalesce(toFloatOrNull(r.strength), 0.5) AS given, uses, last_used_at,
       toFloatOrNull(r.learned_strength) AS strength, toIntegerOrNull(r.use_count) AS use_count,
       toStringOrNull(r.last_used_at) AS used_at
