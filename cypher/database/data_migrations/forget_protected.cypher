// Remove the notes of protection.
//
// access  batch
// param   batch : INTEGER — memories in one transaction
MATCH (m:Memory|PurgedMemory)
WHERE m.is_protected
CALL (m) {
  SET m.is_protected = null
} IN TRANSACTIONS OF $batch ROWS
