// Mark the database just before it is copied, so that a copy shows that it is later.
//
// access  write
// param   mark : STRING — random
MERGE (backup:Control {key: 'backup'})
SET backup.mark = $mark
