// Find the neighbours `b` of memory `a` in its conversation, with the relation as `link`.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states to return
// param   now      : STRING — ISO 8601, UTC
// param   fan      : INTEGER — most relations of `a`; a memory with more has no neighbours
WITH a WHERE a.conversation_id IS NOT NULL AND COUNT { (a)-[:RELATES_TO]-() } <= $fan
MATCH (a)-[r:RELATES_TO]-(b:Memory)
WHERE r.name = 'precedes' AND r.invalid_at IS NULL
  AND coalesce(b.group_id = $group_id, false) AND b.lifecycle_state IN $states
  AND b.conversation_id = a.conversation_id
  AND (b.invalid_at IS NULL OR b.invalid_at > $now)
WITH b, [startNode(r).uuid, endNode(r).uuid] AS link
