// Bind `kind`, what a scan does with the confidence of memory `m`, and `reason`.
//
// The kind is skip, decay or obsolete.
//
// access  fragment
// param   now  : STRING — ISO 8601, UTC
// param   scan : MAP — the settings of the scan; ages and intervals in days
// source  delta = 0.1 - min(accesses, 8) * 0.01 within 0.02 to 0.1, down to the floor 0.3
// include decay/score
WITH *, idle_ms / 86400000.0 AS age_days, $scan.delta_max - $scan.step_per_access *
  CASE WHEN m.access_count < $scan.access_cap THEN m.access_count ELSE $scan.access_cap END AS raw
WITH *, round(CASE
  WHEN raw < $scan.delta_min THEN $scan.delta_min
  WHEN raw > $scan.delta_max THEN $scan.delta_max ELSE raw END, 6) AS step
WITH *, CASE WHEN m.confidence - step > $scan.floor
  THEN round(m.confidence - step, 6) ELSE $scan.floor END AS lowered
WITH *, CASE
  WHEN protection IS NOT NULL OR m.importance >= $scan.protected_importance THEN 'protected'
  WHEN $scan.in_run AND m.held_until > $now THEN 'held'
  WHEN m.confidence IS NULL THEN 'no_confidence'
  WHEN policy = $scan.passed_over_policy THEN 'in_score'
  WHEN age_days <= $scan.min_age_days THEN 'fresh'
  WHEN age_days > $scan.obsolete_age_days AND m.confidence <= $scan.floor THEN 'aged_out'
  WHEN lowered >= m.confidence THEN 'at_floor'
  WHEN datetime($now).epochMillis - datetime(m.confidence_decayed_at).epochMillis
    < $scan.min_step_interval_days * 86400000 THEN 'recent_step'
  ELSE 'unused'
END AS reason
WITH *, CASE reason WHEN 'unused' THEN 'decay' WHEN 'aged_out' THEN 'obsolete' ELSE 'skip' END
  AS kind
