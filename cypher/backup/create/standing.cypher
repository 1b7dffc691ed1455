// Describe the latest backup, and count the memories.
//
// access  read
// returns at           : STRING? — ISO 8601, UTC
// returns held_seconds : FLOAT
// returns busy_seconds : FLOAT
// returns backed_up    : INTEGER? — memories in the latest backup
// returns memories     : INTEGER
OPTIONAL MATCH (backup:Control {key: 'backup'})
RETURN backup.at AS at, coalesce(backup.held_seconds, 0.0) AS held_seconds,
       coalesce(backup.busy_seconds, 0.0) AS busy_seconds,
       backup.memories AS backed_up,
       COUNT { MATCH (n:Memory) } AS memories
