// Mark the database as one that is being restored.
//
// access  write
// param   path : STRING — of the backup
// param   now  : STRING — ISO 8601, UTC
MERGE (restore:Control {key: 'restore'})
SET restore.reason = $path, restore.since = $now
