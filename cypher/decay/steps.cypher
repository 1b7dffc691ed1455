// List the steps down that memory `m` can take on its curve, each with its conditions.
//
// An expression. A step requires that the memory was idle for more than `days`, and that its score
// is above `level`. -1 days means that only the score counts.
//
// access  fragment
// param   decay : MAP — steps_by_score, steps_stepwise
CASE curve.states
  WHEN 'by_score' THEN $decay.steps_by_score
  WHEN 'stepwise' THEN CASE
    WHEN curve.expires AND fields.importance < $decay.expired_below_importance
    THEN $decay.steps_stepwise ELSE $decay.steps_stepwise[..2] END
  ELSE []
END
