// Return the time of the latest backup, how long writers waited for it, and the number of memories.
//
// access  read
// returns at           : STRING? — ISO 8601, UTC
// returns held_seconds : FLOAT
// returns memories     : INTEGER
OPTIONAL MATCH (backup:Control {key: 'backup'})
RETURN backup.at AS at, coalesce(backup.held_seconds, 0.0) AS held_seconds,
       COUNT { MATCH (n:Memory) } AS memories
