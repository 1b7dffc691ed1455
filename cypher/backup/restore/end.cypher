// Mark the database as completely restored.
//
// access  write
MATCH (restore:Control {key: 'restore'})
DELETE restore
