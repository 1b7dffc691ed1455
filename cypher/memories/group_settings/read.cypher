// Read the settings of a group.
//
// access  read
// param   group_id : STRING — the tenant
// returns group_id            : STRING
// returns single_valued_slots : LIST<STRING>
// returns updated_at          : STRING?
MATCH (c:Control {key: 'settings|' + $group_id})
RETURN $group_id AS group_id, coalesce(c.single_valued_slots, []) AS single_valued_slots,
       c.updated_at AS updated_at
