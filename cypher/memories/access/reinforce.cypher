// Apply the decay of memory `m` to its importance under typed_importance, then add `hits` accesses.
//
// Decay is written once it reaches `typed_write_back`. Gains are counted in accesses, so that no
// gain is lost to rounding.
//
// access  fragment
// param   decay : MAP — typed_write_back, reinforce_step, reinforce_write_back, importance_max
WITH m, hits
WHERE coalesce(m.decay_policy, $decay.group_policies[m.group_id], $decay.policy)
  = 'typed_importance'
// include decay/score
// include decay/effective_importance
WITH m, coalesce(m.reinforcement_pending, 0) + hits AS gained,
  CASE WHEN round(m.importance - effective, 6) >= $decay.typed_write_back
    THEN effective ELSE m.importance END AS eroded
WITH m, gained, eroded,
  round(gained * $decay.reinforce_step, 6) >= $decay.reinforce_write_back AS boosted,
  round(eroded + gained * $decay.reinforce_step, 6) AS raised
WITH m, CASE WHEN boosted THEN 0 ELSE gained END AS pending, CASE
  WHEN NOT boosted OR eroded > $decay.importance_max THEN eroded
  WHEN raised > $decay.importance_max THEN $decay.importance_max
  ELSE raised
END AS importance, {importance: m.importance} AS was
SET
  m.reinforcement_pending = pending,
  m.importance_source =
    CASE WHEN importance = m.importance THEN m.importance_source ELSE 'reinforced' END,
  m.importance = importance
// include fragments/change/note
