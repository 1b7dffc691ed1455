// Let runs leave memories alone until an instant, after an undo.
//
// access  write
// param   memory_ids : LIST<STRING> — sorted
// param   held_until : STRING — ISO 8601, UTC
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id})
// include fragments/memory/lock
SET m.held_until = $held_until
WITH m
// include decay/schedule
