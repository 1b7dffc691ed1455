// Bind `due`, the instant from which a run has work with memory `m`; null means never.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/next_state
WITH *, head([
  step IN
  // include decay/steps
  WHERE step.from = m.lifecycle_state
]) AS step
WITH *,
  // include decay/wait
  AS wait_ms
WITH *, CASE
  WHEN m.lifecycle_state = 'SOFT_DELETED'
    THEN datetime(m.soft_deleted_at).epochMillis + $decay.soft_delete_retention_ms + 1
  WHEN target <> m.lifecycle_state OR m.preserve_until < $now THEN now_ms
  WHEN protection = 'until' THEN datetime(m.preserve_until).epochMillis + 1
  WHEN protection IS NOT NULL THEN null
  WHEN m.obsolete_at IS NOT NULL
    THEN datetime(m.obsolete_at).epochMillis + $decay.obsolete_retention_ms + 1
  ELSE anchor_ms + wait_ms
END AS ruled_ms,
  CASE WHEN m.held_until > $now THEN datetime(m.held_until).epochMillis END AS held_ms
WITH *, CASE WHEN ruled_ms < held_ms THEN held_ms ELSE ruled_ms END AS due_ms
WITH *, CASE WHEN due_ms < 253402300800000
  THEN format(datetime({epochMillis: due_ms}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") END AS due
