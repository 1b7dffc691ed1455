// Tell whether a group has an entity.
//
// access  read
// param   group_id  : STRING — the tenant
// param   entity_id : STRING
// returns entity_id : STRING
MATCH (n:Entity {uuid: $entity_id, group_id: $group_id})
RETURN n.uuid AS entity_id
