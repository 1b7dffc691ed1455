// Count the memories of a range of ids that a confidence scan would make obsolete after decay.
//
// Memories that decay takes out of the scan's reach are left out.
//
// access  read
// param   now      : STRING — the instant of the run, ISO 8601, UTC
// param   groups   : LIST<STRING>? — null: all
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// param   full     : BOOLEAN — true if decay also treats memories that are not due
// param   unsound  : LIST<STRING> — ids that a run would skip
// param   decays   : BOOLEAN — true if the run has the stage decay
// returns was      : STRING
// returns becomes  : STRING — by decay alone
// returns count    : INTEGER
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND ($groups IS NULL OR m.group_id IN $groups)
  AND m.soft_deleted_at IS NULL AND m.lifecycle_state <> 'EXPIRED' AND NOT m.uuid IN $unsound
CALL (m) {
  // include decay/next_state
  WITH m, CASE
    WHEN $decays
      AND ($full OR m.next_due_at <= $now AND coalesce(m.last_decay_update <> $now, true)) AND
      // include fragments/maintenance/in_scope
      THEN outcome
    ELSE m.lifecycle_state
  END AS becomes
  RETURN becomes
}
WITH m, becomes WHERE NOT becomes IN ['EXPIRED', 'SOFT_DELETED']
// include fragments/maintenance/confidence_step
WITH m.lifecycle_state AS was, becomes WHERE kind = 'obsolete'
RETURN was, becomes, count(*) AS count
ORDER BY was, becomes
