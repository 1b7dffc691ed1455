// Find the memories said before and after memory `a` in its conversation: `b`, and how they follow.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states to serve
// param   now      : STRING — ISO 8601, UTC
// param   fan      : INTEGER — of a memory with more relations none are looked at; 0 of any
WITH a WHERE a.conversation_id IS NOT NULL AND COUNT { (a)-[:RELATES_TO]-() } <= $fan
MATCH (a)-[r:RELATES_TO]-(b:Memory)
WHERE r.name = 'precedes' AND r.invalid_at IS NULL
  AND b.group_id = $group_id AND b.lifecycle_state IN $states
  AND b.conversation_id = a.conversation_id
  AND (b.invalid_at IS NULL OR b.invalid_at > $now)
WITH b, [startNode(r).uuid, endNode(r).uuid] AS link
