// Reject open proposals, so that they are not proposed again.
//
// access  write
// param   group_id     : STRING — the tenant
// param   proposal_ids : LIST<STRING> — sorted
// param   now          : STRING — ISO 8601, UTC
// param   run_id       : STRING
// param   decided_by   : STRING — caller
// returns proposal_id : STRING
UNWIND $proposal_ids AS proposal_id
MATCH (p:Proposal {uuid: proposal_id, group_id: $group_id})
WHERE p.status = 'open'
SET
  p.status = 'rejected', p.decided_at = $now, p.decided_by = $decided_by,
  p.decided_run_id = $run_id
RETURN p.uuid AS proposal_id
