// Mark the database as one that is being restored.
//
// access  write
// param   path   : STRING — of the backup
// param   before : STRING? — the backup of what was there
// param   now    : STRING — ISO 8601, UTC
MERGE (restore:Control {key: 'restore'})
SET restore.reason = $path, restore.before = $before, restore.since = $now
