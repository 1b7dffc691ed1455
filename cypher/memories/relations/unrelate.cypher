// End the relations between two memories; they no longer hold, but are not erased.
//
// access  write
// param   group_id        : STRING — the tenant
// param   from_id         : STRING
// param   to_id           : STRING
// param   relation_type   : STRING? — null for every type
// param   both_directions : BOOLEAN
// returns relation_id : STRING
MATCH (a:Memory {uuid: $from_id, group_id: $group_id})-[r:RELATES_TO]-
      (b:Memory {uuid: $to_id, group_id: $group_id})
WHERE r.expired_at IS NULL
  AND ($relation_type IS NULL OR r.name = $relation_type)
  AND ($both_directions OR startNode(r) = a)
// include fragments/relation/end
RETURN r.uuid AS relation_id
