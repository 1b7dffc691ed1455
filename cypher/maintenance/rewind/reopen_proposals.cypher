// Open the proposals again that were decided after an instant and that no undo has opened.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   kept  : LIST<STRING> — properties that superseding changes
// param   batch : INTEGER — proposals in one transaction
MATCH (p:Proposal)
WHERE p.decided_at > $until AND p.status <> 'open'
CALL (p) {
  FOREACH (key IN $kept |
    SET p['before_' + key] = null
    SET p['after_' + key] = null
  )
  SET
    p.status = 'open', p.decided_at = null, p.decided_by = null, p.decided_run_id = null,
    p.relation_id = null, p.relation_metadata = null, p.former_id = null, p.former_was_open = null
} IN TRANSACTIONS OF $batch ROWS
