// Give the memories that are not deleted their keys back, which keep contents unique.
//
// access  batch
// param   batch : INTEGER — memories in one transaction
MATCH (m:Memory)
WHERE m.dedup_key IS NULL AND m.lifecycle_state <> 'SOFT_DELETED' AND m.content_hash IS NOT NULL
CALL (m) {
  WITH m, m.group_id + '|' + m.content_hash AS key
  WHERE NOT EXISTS { MATCH (:Memory {dedup_key: key}) }
  SET m.dedup_key = key
} IN TRANSACTIONS OF $batch ROWS
