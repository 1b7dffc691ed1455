// Record when the latest backup was made.
//
// access  write
// param   at           : STRING — ISO 8601, UTC
// param   held_seconds : FLOAT — time that writers waited for it
// param   busy_seconds : FLOAT — time that it worked beside writers
// param   memories     : INTEGER — memories in it
MERGE (backup:Control {key: 'backup'})
SET backup.at = $at, backup.held_seconds = $held_seconds, backup.busy_seconds = $busy_seconds,
    backup.memories = $memories, backup.expires_at = null, backup.mark = null
