// List the memories that a run skips, because another client stored properties of other types.
//
// access  read
// returns memory_id : STRING
MATCH (m:Memory)
WHERE NOT
  // include decay/sound
RETURN m.uuid AS memory_id
ORDER BY memory_id
