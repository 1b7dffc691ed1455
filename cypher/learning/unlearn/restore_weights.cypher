// Restore the learned weights of groups as they were before a run, unless they differ since.
//
// access  write
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns restored : INTEGER — groups
// returns kept     : LIST<STRING> — ids of groups whose weights changed since
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'weights' AND ($group_id IS NULL OR change.group_id = $group_id)
OPTIONAL MATCH (c:Control {key: 'weights|' + change.group_id})
WITH change, c, coalesce(toStringOrNull(c.learned), '') = change.after[0] AS restores,
     change.group_id AS group, change.before[0] AS before
CALL (change, c, restores, group, before) {
  FOREACH (_ IN CASE WHEN restores AND before = '' AND c IS NOT NULL THEN [1] ELSE [] END |
    DELETE c
  )
  FOREACH (_ IN CASE WHEN restores AND before <> '' THEN [1] ELSE [] END |
    MERGE (to:Control {key: 'weights|' + group})
    SET to.learned = before
  )
  FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END | DELETE change)
}
RETURN count(CASE WHEN restores THEN 1 END) AS restored,
       collect(CASE WHEN NOT restores THEN group END) AS kept
