// Record that a group stays on a server which no rule decides.
//
// access  write
// param   group_id : STRING — the tenant
// param   server   : STRING
MATCH (move:Control {key: 'move|' + $group_id})
SET move.from_server = CASE move.to_server
      WHEN $server THEN move.from_server ELSE move.to_server END,
    move.to_server = $server, move.phase = 'done'
