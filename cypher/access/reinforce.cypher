// Let an access to memory `m` under typed_importance wear off its importance, then add to it.
//
// What has faded is written from `typed_write_back` on, never below the floor of the type; what is
// gained is counted in accesses, so that nothing is lost to rounding.
//
// access  fragment
// param   decay : MAP — typed_floors, typed_write_back, reinforce_step, reinforce_write_back
// source  importance * 0.5 ^ (idle days / half-life of the type)
// include decay/score
WITH m, policy, kept, protection,
  coalesce($decay.typed_floors[m.memory_type], $decay.typed_floors.general) AS floor
WHERE policy = 'typed_importance'
WITH m, CASE
  WHEN protection IS NOT NULL THEN m.importance
  WHEN m.importance * kept < floor THEN CASE
    WHEN m.importance < floor THEN m.importance ELSE floor END
  ELSE round(m.importance * kept, 6)
END AS worn
WITH m, coalesce(m.reinforcement_pending, 0) + 1 AS pending,
  CASE WHEN round(m.importance - worn, 6) >= $decay.typed_write_back
    THEN worn ELSE m.importance END AS eroded
WITH m, pending, eroded,
  round(pending * $decay.reinforce_step, 6) >= $decay.reinforce_write_back AS boosted
WITH m, CASE WHEN boosted THEN 0 ELSE pending END AS pending, CASE
  WHEN NOT boosted THEN eroded
  WHEN eroded + pending * $decay.reinforce_step > $decay.importance_max
    THEN CASE WHEN eroded > $decay.importance_max THEN eroded ELSE $decay.importance_max END
  ELSE round(eroded + pending * $decay.reinforce_step, 6)
END AS importance
SET
  m.reinforcement_pending = pending,
  m.importance_source =
    CASE WHEN importance = m.importance THEN m.importance_source ELSE 'reinforced' END,
  m.importance = importance
