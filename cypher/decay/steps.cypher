// List the steps down that memory `m` can take under its curve, each with what it waits for.
//
// An expression. A step waits until the memory was idle for more than `days`, and its score passed
// `level`; -1 days means the score alone.
//
// access  fragment
// param   decay : MAP — steps_by_score, steps_stepwise
CASE curve.states
  WHEN 'by_score' THEN $decay.steps_by_score
  WHEN 'stepwise' THEN CASE
    WHEN curve.expires AND m.importance < $decay.expired_below_importance
    THEN $decay.steps_stepwise ELSE $decay.steps_stepwise[..2] END
  ELSE []
END
