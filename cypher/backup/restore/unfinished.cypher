// Tell which backup is being restored; no row if none is.
//
// access  read
// returns path   : STRING
// returns before : STRING? — the backup of what was there
MATCH (restore:Control {key: 'restore'})
RETURN restore.reason AS path, restore.before AS before
