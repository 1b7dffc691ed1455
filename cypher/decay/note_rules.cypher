// Note for the group of memory `m` the hash of the rules that schedule its memories, or 'several'.
//
// So a run detects memories that a process with other rules has scheduled. A run leaves the note
// alone: when it begins to treat all memories, it sets the note once.
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
