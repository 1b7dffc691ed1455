// Note the memories that are protected, as runs do since this migration.
//
// access  batch
// param   tags       : LIST<STRING> — the protecting tags, in lower case
// param   importance : FLOAT — protects together with `stability`
// param   stability  : INTEGER
// param   batch      : INTEGER — memories in one transaction
MATCH (m:Memory)
WHERE m.importance >= $importance AND m.stability >= $stability
  OR m.tags IS :: LIST<STRING NOT NULL> NOT NULL AND any(tag IN m.tags WHERE toLower(tag) IN $tags)
CALL (m) {
  SET m.is_protected = true
} IN TRANSACTIONS OF $batch ROWS
