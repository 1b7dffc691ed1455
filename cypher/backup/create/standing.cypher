// Tell when the latest backup was made, how long writers waited, and how many memories there are.
//
// access  read
// returns at           : STRING? — ISO 8601, UTC
// returns held_seconds : FLOAT
// returns memories     : INTEGER
OPTIONAL MATCH (backup:Control {key: 'backup'})
RETURN backup.at AS at, coalesce(backup.held_seconds, 0.0) AS held_seconds,
       COUNT { MATCH (n:Memory) } AS memories
