// Count accesses to memories, reactivate dormant and archived ones, and reset their decay.
//
// Expired memories are counted, but not reactivated. Ids are sorted, so that writers cannot
// deadlock.
//
// access  write
// param   group_id : STRING — the tenant
// param   accesses : LIST<MAP> — memory_id and hits, the number of accesses; sorted by id
// param   now      : STRING — ISO 8601, UTC
// returns memory_id : STRING
// returns state     : STRING — after the access
// returns packed    : STRING? — compressed content of a reactivated memory
UNWIND $accesses AS access
MATCH (m:Memory {uuid: access.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
SET m.access_count = m.access_count + access.hits
WITH m, access.hits AS hits
CALL (m, hits) {
  // include memories/access/reinforce
}
SET m.last_accessed_at = CASE
  WHEN m.last_accessed_at > $now THEN m.last_accessed_at ELSE $now
END
WITH m
CALL (m) {
  // include decay/next_due
  WITH *, 'access' AS reason, CASE
    WHEN m.lifecycle_state = 'EXPIRED' THEN 'EXPIRED'
    WHEN curve.states = 'by_score' THEN target
    ELSE 'ACTIVE'
  END AS entered
  WITH *, entered <> m.lifecycle_state AS moves
  // include decay/enter_state
  SET m.decay_score = faded, m.last_decay_update = $now, m.next_due_at = due
  // include decay/note_protection
  WITH m WHERE moves
  // include decay/schedule
}
RETURN m.uuid AS memory_id, m.lifecycle_state AS state,
       CASE WHEN m.lifecycle_state <> 'ARCHIVED' THEN m.content_gz END AS packed
