// Note by which rules memories of the group of memory `m` are scheduled: one hash, or 'several'.
//
// So a run sees what a process under other rules has left behind. A run notes it of itself, once,
// when it begins to treat all.
//
// access  fragment
// param   decay : MAP — rules, run_id
FOREACH (_ IN CASE WHEN $decay.run_id IS NULL THEN [1] ELSE [] END |
  MERGE (mark:Control {key: 'rules:' + m.group_id})
  ON CREATE SET mark.rules = $decay.rules
  FOREACH (other IN CASE WHEN mark.rules IN [$decay.rules, 'several'] THEN [] ELSE [1] END |
    SET mark.rules = 'several'
  )
)
