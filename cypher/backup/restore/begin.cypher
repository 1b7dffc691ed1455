// Mark the database as being restored.
//
// access  write
// param   path   : STRING — folder of the backup
// param   before : STRING? — folder of the backup of the previous data
// param   until  : STRING? — instant to restore to, ISO 8601, UTC
// param   now    : STRING — ISO 8601, UTC
MERGE (restore:Control {key: 'restore'})
SET
  restore.reason = $path, restore.before = $before, restore.until = $until, restore.since = $now
