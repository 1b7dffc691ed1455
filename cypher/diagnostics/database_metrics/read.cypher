// Count the memories of all groups by state and what waits, and read results of runs and backups.
//
// access  read
// param   now  : STRING — ISO 8601, UTC
// param   soon : LIST<STRING> — instants; how many memories change until each
// returns states        : LIST<MAP> — state, UNKNOWN if a writer erased it; memories; and the
//                         sum of their stored scores
// returns due           : LIST<INTEGER> — for each of `soon`
// returns totals        : LIST<MAP> — name and value
// returns last          : MAP? — of the latest run that has ended
// returns running_since : STRING? — ISO 8601, UTC
// returns paused        : BOOLEAN
// returns backed_up_at  : STRING? — ISO 8601, UTC
// returns review        : MAP — waiting_writes, waiting_since, open_proposals and tombstones
WITH
  COLLECT {
    MATCH (m:Memory)
    WITH coalesce(toStringOrNull(m.lifecycle_state), 'UNKNOWN') AS state, count(*) AS memories,
         sum(toFloatOrNull(m.decay_score)) AS scores  // the score of another writer may be a text
    RETURN {state: state, memories: memories, scores: scores}
  } AS states,
  [until IN $soon | COUNT { MATCH (m:Memory) WHERE m.next_due_at <= until }] AS due,
  COLLECT {
    MATCH (total:Control)
    WHERE total.key STARTS WITH 'total:' AND total.value IS NOT NULL
    RETURN {name: substring(total.key, 6), value: total.value}
  } AS totals,
  head(COLLECT {
    MATCH (run:MaintenanceRun)
    WHERE run.status <> 'running' AND run.transitioned <> ''
    RETURN run {.started_at, .duration_seconds, .truncated, .transitioned, .status}
    ORDER BY run.started_at DESC LIMIT 1
  }) AS last,
  head(COLLECT {
    MATCH (lease:Control {key: 'maintenance'})
    WHERE lease.expires_at > $now
    CALL () {
      MATCH (run:MaintenanceRun {status: 'running'})
      RETURN max(run.started_at) AS since
    }
    RETURN since
  }) AS running_since,
  EXISTS {
    MATCH (pause:Control {key: 'pause'})
    WHERE pause.since IS NOT NULL
  } AS paused,
  head(COLLECT { MATCH (backup:Control {key: 'backup'}) RETURN backup.at }) AS backed_up_at,
  {
    waiting_writes: COUNT { MATCH (:PendingWrite) },
    waiting_since: head(COLLECT { MATCH (p:PendingWrite) RETURN min(p.created_at) }),
    open_proposals: COUNT { MATCH (:Proposal {status: 'open'}) },
    tombstones: COUNT { MATCH (:Tombstone) }
  } AS review
RETURN states, due, totals, last, running_since, paused, backed_up_at, review
