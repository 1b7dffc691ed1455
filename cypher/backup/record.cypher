// Remember when the latest backup was made.
//
// access  write
// param   at : STRING — ISO 8601, UTC
MERGE (backup:Control {key: 'backup'})
SET backup.at = $at, backup.expires_at = null
