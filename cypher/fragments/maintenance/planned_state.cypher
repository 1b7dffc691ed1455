// Bind `entered`, the state into which a run moves memory `m`, and the `reason`.
//
// Purging is left to a stage of its own. Follows decay/next_state.
//
// access  fragment
WITH *, CASE target WHEN 'PURGED' THEN m.lifecycle_state ELSE target END AS entered, CASE
  WHEN m.obsolete_at IS NOT NULL THEN 'retention'
  WHEN protection IS NOT NULL THEN 'protected'
  ELSE 'decay'
END AS reason
