// Set properties of memories to values of the right type, and schedule the memories again.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — memory_id, and values with the properties to set; null removes
// returns memory_id : STRING
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
FOREACH (name IN keys(row.values) | SET m[name] = row.values[name])
WITH m
// include decay/schedule
RETURN m.uuid AS memory_id
