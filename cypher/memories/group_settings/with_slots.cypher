// List the settings of the groups that have single-valued slots.
//
// access  read
// param   groups : LIST<STRING>? — null for all
// returns group_id            : STRING
// returns single_valued_slots : LIST<STRING>
// returns updated_at          : STRING?
MATCH (c:Control)
WHERE c.key STARTS WITH 'settings|' AND size(c.single_valued_slots) > 0
WITH c, substring(c.key, size('settings|')) AS group_id
WHERE $groups IS NULL OR group_id IN $groups
RETURN group_id, c.single_valued_slots AS single_valued_slots, c.updated_at AS updated_at
ORDER BY group_id
