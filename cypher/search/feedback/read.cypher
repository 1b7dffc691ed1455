// Read what feedback has taught a group.
//
// access  read
// param   group_id : STRING — the tenant
// returns lean    : FLOAT [1] — -1 words find better .. 1 meaning finds better
// returns useful  : INTEGER — memories said to have helped
// returns useless : INTEGER — memories said not to
MATCH (c:Control {key: 'feedback|' + $group_id})
RETURN c.lean AS lean, c.useful AS useful, c.useless AS useless
