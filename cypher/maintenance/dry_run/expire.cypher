// Count the memories of a range of ids that a scan of confidence makes obsolete after the decay.
//
// What decay takes out of its reach is left out; the others take no step of their own.
//
// access  read
// param   now      : STRING — the instant the run would work at, ISO 8601, UTC
// param   groups   : LIST<STRING>? — null: all
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// param   full     : BOOLEAN — whether memories that are not due decay too
// param   decays   : BOOLEAN — whether any do
// returns was      : STRING
// returns becomes  : STRING — by decay alone
// returns count    : INTEGER
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND ($groups IS NULL OR m.group_id IN $groups)
  AND m.soft_deleted_at IS NULL AND m.lifecycle_state <> 'EXPIRED'
CALL (m) {
  // include decay/next_state
  // include fragments/maintenance/planned_state
  WITH m, CASE
    WHEN $decays
      AND ($full OR m.next_due_at <= $now AND coalesce(m.last_decay_update <> $now, true)) AND
      // include fragments/maintenance/in_scope
      THEN entered
    ELSE m.lifecycle_state
  END AS becomes
  RETURN becomes
}
WITH m, becomes WHERE NOT becomes IN ['EXPIRED', 'SOFT_DELETED']
// include fragments/maintenance/confidence_step
WITH m.lifecycle_state AS was, becomes WHERE kind = 'obsolete'
RETURN was, becomes, count(*) AS count
ORDER BY was, becomes
