// Mark proposal `p` as accepted.
//
// access  fragment
// param   now        : STRING — ISO 8601, UTC
// param   run_id     : STRING
// param   decided_by : STRING — caller or setting
SET
  p.status = 'accepted', p.decided_at = $now, p.decided_by = $decided_by,
  p.decided_run_id = $run_id
