// Return the feedback of a group.
//
// access  read
// param   group_id : STRING — the tenant
// returns lean    : FLOAT [1] — -1 if words find better .. 1 if meaning does
// returns useful  : INTEGER — number of memories that were useful
// returns useless : INTEGER — number of memories that were not
MATCH (c:Control {key: 'feedback|' + $group_id})
RETURN c.lean AS lean, c.useful AS useful, c.useless AS useless
