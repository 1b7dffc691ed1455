// Record that a group is being moved, in place of an earlier move of it.
//
// access  write
// param   group_id    : STRING — the tenant
// param   from_server : STRING
// param   to_server   : STRING
// param   now         : STRING — ISO 8601, UTC
MERGE (move:Control {key: 'move|' + $group_id})
SET move.from_server = $from_server, move.to_server = $to_server, move.phase = 'copying',
    move.started_at = $now
