// Mark the database as being restored.
//
// access  write
// param   path   : STRING — folder of the backup
// param   before : STRING? — folder of the backup of the previous data
// param   now    : STRING — ISO 8601, UTC
MERGE (restore:Control {key: 'restore'})
SET restore.reason = $path, restore.before = $before, restore.since = $now
