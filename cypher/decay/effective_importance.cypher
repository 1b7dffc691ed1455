// Bind `effective`, the importance of memory `m` after decay.
//
// Only the policy typed_importance lowers it, and never below the floor of the memory's type. An
// importance below the floor stays as it is. Follows decay/score.
//
// access  fragment
// param   decay : MAP — typed_floors by memory type
// source  importance * 0.5 ^ (idle days / half-life of the type)
WITH *, coalesce($decay.typed_floors[fields.memory_type], $decay.typed_floors.general) AS floor
WITH *, CASE
  WHEN policy <> 'typed_importance' OR protection IS NOT NULL OR fields.importance <= floor
    THEN fields.importance
  WHEN fields.importance * kept < floor THEN floor
  ELSE round(fields.importance * kept, 6)
END AS effective
