// Tell when the latest backup was made, and how many memories there are.
//
// access  read
// returns at       : STRING? — ISO 8601, UTC
// returns memories : INTEGER
WITH head(COLLECT { MATCH (backup:Control {key: 'backup'}) RETURN backup.at }) AS at,
     COUNT { MATCH (n:Memory) } AS memories
RETURN at, memories
