// Record how far the move of a group has come.
//
// access  write
// param   group_id : STRING — the tenant
// param   phase    : STRING
MATCH (move:Control {key: 'move|' + $group_id})
SET move.phase = $phase
