// Find memories with one of some authorities.
//
// access  read
// param   group_id    : STRING — the tenant
// param   memory_ids  : LIST<STRING>
// param   authorities : LIST<STRING>
// returns memory_id : STRING
// returns authority : STRING
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND m.origin_authority IN $authorities
RETURN m.uuid AS memory_id, m.origin_authority AS authority
ORDER BY memory_id
