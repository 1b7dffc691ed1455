// Mark the database as one that is whole.
//
// access  write
MATCH (restore:Control {key: 'restore'})
DELETE restore
