// Return the learned weights of a group as JSON.
//
// access  read
// param   group_id : STRING — the tenant
// returns learned : STRING
MATCH (c:Control {key: 'weights|' + $group_id})
RETURN toStringOrNull(c.learned) AS learned
