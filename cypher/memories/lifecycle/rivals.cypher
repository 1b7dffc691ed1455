// Return the values that decide between memories that contradict each other.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns since     : ZONED DATETIME — start of validity
// returns weight    : FLOAT — importance * confidence
MATCH (m:Memory)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND m.soft_deleted_at IS NULL
RETURN m.uuid AS memory_id, coalesce(datetime(m.valid_at), m.created_at) AS since,
       m.importance * coalesce(m.confidence, 1.0) AS weight
