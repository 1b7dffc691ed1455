// Set the properties that memories lack; keep the others, but convert instants to text.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — uuid, and what fragments/memory/fill reads; sorted by id
// returns memory_id : STRING
UNWIND $memories AS row
MATCH (n:Memory {uuid: row.uuid, group_id: $group_id})
// include fragments/memory/fill
WITH n AS m
// include fragments/memory/texts_of_instants
// include decay/schedule
RETURN m.uuid AS memory_id
