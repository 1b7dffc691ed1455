// Bind `due`, the instant from which a run has work with memory `m`; null means never.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/next_state
WITH *, head([
  step IN
  // include decay/steps
  WHERE step.from = fields.lifecycle_state
]) AS step
WITH *,
  // include decay/wait
  AS wait_ms
WITH *, CASE
  WHEN fields.lifecycle_state = 'SOFT_DELETED'
    THEN datetime(fields.soft_deleted_at).epochMillis + $decay.soft_delete_retention_ms + 1
  WHEN target <> fields.lifecycle_state OR fields.preserve_until < $now THEN now_ms
  WHEN protection = 'until' THEN datetime(fields.preserve_until).epochMillis + 1
  WHEN protection IS NOT NULL THEN null
  WHEN fields.obsolete_at IS NOT NULL
    THEN datetime(fields.obsolete_at).epochMillis + $decay.obsolete_retention_ms + 1
  ELSE anchor_ms + wait_ms
END AS ruled_ms,
  CASE WHEN fields.held_until > $now THEN datetime(fields.held_until).epochMillis END AS held_ms
WITH *, CASE WHEN ruled_ms < held_ms THEN held_ms ELSE ruled_ms END AS due_ms
WITH *, CASE WHEN due_ms < 253402300800000
  THEN format(datetime({epochMillis: due_ms}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") END AS due
