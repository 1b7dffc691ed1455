// Count an access to each memory, wake those that slept, and start their decay anew.
//
// Expired memories are counted but not woken. Ids come sorted, so that writers cannot deadlock.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — sorted
// param   now        : STRING — ISO 8601, UTC
// returns memory_id : STRING
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
WITH m, memory_id, m.lifecycle_state IN ['DORMANT', 'ARCHIVED'] AS wakes
SET
  m.access_count = m.access_count + 1,
  m.last_accessed_at = CASE
    WHEN m.last_accessed_at > $now THEN m.last_accessed_at ELSE $now
  END,
  m.decay_score = CASE m.lifecycle_state WHEN 'EXPIRED' THEN m.decay_score ELSE 0.0 END,
  m.last_decay_update = CASE m.lifecycle_state
    WHEN 'EXPIRED' THEN m.last_decay_update ELSE $now
  END,
  m.state_changed_at = CASE WHEN wakes THEN $now ELSE m.state_changed_at END,
  m.state_reason = CASE WHEN wakes THEN 'access' ELSE m.state_reason END,
  m.lifecycle_state = CASE WHEN wakes THEN 'ACTIVE' ELSE m.lifecycle_state END
RETURN memory_id
