// Bind `entered`, the state into which a run first moves memory `m`, and the `reason`.
//
// On its way to `outcome` a memory passes the state by the rules, for its history. Purging is left
// to a stage of its own. Follows decay/next_state.
//
// access  fragment
WITH *, CASE WHEN outcome IN [m.lifecycle_state, 'PURGED'] THEN m.lifecycle_state ELSE target END
  AS entered, CASE
  WHEN m.obsolete_at IS NOT NULL THEN 'retention'
  WHEN protection IS NOT NULL THEN 'protected'
  ELSE 'decay'
END AS reason
