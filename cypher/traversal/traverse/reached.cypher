// Return the brief views of the memories that a walk reached; `memories/read/get` has full ones.
//
// A memory whose properties another writer erased is left out until it is repaired.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — ids of current memories
// returns memory      : MAP
// returns decay_score : FLOAT — 0 fresh to 1 gone
// variant sound
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND m.lifecycle_state IS NOT NULL
// include decay/score
// include fragments/time/text_known
WITH faded AS decay_score,
  // include fragments/memory/brief
  AS memory
RETURN memory, decay_score
