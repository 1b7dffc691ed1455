// Tell which backup is being restored; no row if none is.
//
// access  read
// returns path : STRING
MATCH (restore:Control {key: 'restore'})
RETURN restore.reason AS path
