// Remove from accepted proposals the earlier values of their memories, which no undo needs now.
//
// access  batch
// param   groups         : LIST<STRING>? — null: all
// param   changed_before : STRING — ISO 8601, UTC
// param   kept           : LIST<STRING> — properties that superseding changes
// param   batch          : INTEGER — proposals in one transaction
// returns forgotten : INTEGER
MATCH (p:Proposal {status: 'accepted'})
WHERE p.decided_at <= $changed_before AND p.after_lifecycle_state IS NOT NULL
  AND ($groups IS NULL OR p.group_id IN $groups)
CALL (p) {
  FOREACH (key IN $kept |
    SET p['before_' + key] = null
    SET p['after_' + key] = null
  )
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS forgotten
