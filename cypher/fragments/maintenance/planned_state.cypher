// Say into which state a run takes memory `m`, in `entered`, and why, in `reason`.
//
// Whom to purge is for a stage of its own. After decay/next_state.
//
// access  fragment
WITH *, CASE target WHEN 'PURGED' THEN m.lifecycle_state ELSE target END AS entered, CASE
  WHEN m.obsolete_at IS NOT NULL THEN 'retention'
  WHEN protection IS NOT NULL THEN 'protected'
  ELSE 'decay'
END AS reason
