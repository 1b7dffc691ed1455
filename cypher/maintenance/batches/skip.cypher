// Mark memories that failed as treated, so that this run skips them; the next run tries again.
//
// access  write
// param   now        : STRING — ISO 8601, UTC
// param   memory_ids : LIST<STRING> — sorted
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id})
SET m.last_decay_update = $now
