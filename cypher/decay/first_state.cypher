// Bind `entered`, the state of ACTIVE memory `m` from another store that gives none.
//
// It is the state that runs would have led to until now, if they had been on time.
//
// access  fragment
// include decay/next_state
WITH *, CASE
  WHEN m.obsolete_at IS NOT NULL THEN 'EXPIRED'
  WHEN curve.states = 'by_score' THEN target
  ELSE reduce(
    state = 'ACTIVE',
    step IN
    // include decay/steps
    | CASE
      WHEN step.from = state AND idle_days > step.days AND faded > step.level THEN step.to
      ELSE state
    END)
END AS entered
