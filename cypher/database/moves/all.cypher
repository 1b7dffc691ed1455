// List the moves of groups, by group.
//
// access  read
// returns group_id    : STRING
// returns from_server : STRING
// returns to_server   : STRING
// returns phase       : STRING
// returns started_at  : STRING — ISO 8601, UTC
MATCH (move:Control)
WHERE move.key STARTS WITH 'move|'
RETURN substring(move.key, 5) AS group_id, move.from_server AS from_server,
       move.to_server AS to_server, move.phase AS phase, move.started_at AS started_at
ORDER BY group_id
