// Record that a run begins.
//
// A run that treats all memories of a group notes its rules for the group. A process that later
// schedules a memory of the group by other rules overwrites the note.
//
// access  write
// param   run_id      : STRING
// param   now         : STRING — the instant of the run, ISO 8601, UTC
// param   started_at  : STRING — by the wall clock, ISO 8601, UTC
// param   stages      : LIST<STRING>
// param   groups      : LIST<STRING>? — null: all
// param   canary      : INTEGER [percent]
// param   full        : BOOLEAN
// param   rules       : STRING — hash of the policies and their numbers
// param   policy      : STRING
CREATE (:MaintenanceRun {
  run_id: $run_id, now: $now, started_at: $started_at, status: 'running', stages: $stages,
  stages_done: [], groups: $groups, canary: $canary, full: $full, rules: $rules, policy: $policy,
  processed: 0, soft_deleted: 0, purged: 0, compressed: 0, classified: 0, embedded: 0, learned: 0,
  errors: 0, transitioned: '{}', failed: '[]', duration_seconds: 0.0, truncated: false
})
WITH 1 AS begun
MATCH (mark:Control)
WHERE mark.key STARTS WITH 'rules:' AND $full AND $canary >= 100 AND 'decay' IN $stages
  AND ($groups IS NULL OR substring(mark.key, 6) IN $groups)
SET mark.rules = $rules
