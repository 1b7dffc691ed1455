// Say what importance memory `m` has left, in `effective`: under typed_importance it fades as well.
//
// After decay/score. It falls no lower than the floor of the type, and never rises to it.
//
// access  fragment
// param   decay : MAP — typed_floors by memory type
// source  importance * 0.5 ^ (idle days / half-life of the type)
WITH *, coalesce($decay.typed_floors[m.memory_type], $decay.typed_floors.general) AS floor
WITH *, CASE
  WHEN policy <> 'typed_importance' OR protection IS NOT NULL OR m.importance <= floor
    THEN m.importance
  WHEN m.importance * kept < floor THEN floor
  ELSE round(m.importance * kept, 6)
END AS effective
