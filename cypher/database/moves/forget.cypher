// Forget the move of a group; the rules of the placement file decide.
//
// access  write
// param   group_id : STRING — the tenant
MATCH (move:Control {key: 'move|' + $group_id})
DELETE move
