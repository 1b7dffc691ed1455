// Store the settings of a group; a group without a value has no node.
//
// access  write
// param   group_id            : STRING — the tenant
// param   single_valued_slots : LIST<STRING>
// param   now                 : STRING — ISO 8601, UTC
MERGE (c:Control {key: 'settings|' + $group_id})
SET c.single_valued_slots = $single_valued_slots, c.updated_at = $now
WITH c WHERE size($single_valued_slots) = 0
DELETE c
