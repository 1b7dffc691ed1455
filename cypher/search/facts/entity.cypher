// Return the id of an entity if a group contains it.
//
// access  read
// param   group_id  : STRING — the tenant
// param   entity_id : STRING
// returns entity_id : STRING
MATCH (n:Entity {uuid: $entity_id, group_id: $group_id})
RETURN n.uuid AS entity_id
