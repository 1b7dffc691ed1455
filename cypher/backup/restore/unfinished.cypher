// Return the backup whose restore was interrupted; no row means none.
//
// access  read
// returns path   : STRING
// returns before : STRING? — folder of the backup of the previous data
// returns until  : STRING? — instant to restore to
MATCH (restore:Control {key: 'restore'})
RETURN restore.reason AS path, restore.before AS before, restore.until AS until
