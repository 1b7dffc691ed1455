// Check that a copy of the database holds the mark that was set before it was copied.
//
// access  read
// param   mark : STRING
// returns marked : BOOLEAN
OPTIONAL MATCH (backup:Control {key: 'backup'})
RETURN coalesce(backup.mark = $mark, false) AS marked
