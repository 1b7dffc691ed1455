// Fetch memories by id; without a clock, also memories that have ended.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// param   as_of      : STRING? — valid time, ISO 8601, UTC
// param   known_at   : STRING? — system time, ISO 8601, UTC
// returns memory : MAP
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id
WITH m WHERE ($as_of IS NULL AND $known_at IS NULL AND m.soft_deleted_at IS NULL) OR (
// include fragments/time/memory_holds
)
// include fragments/memory/full
RETURN memory
