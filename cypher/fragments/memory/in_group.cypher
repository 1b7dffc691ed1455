// Check that memory `m`, to which a relation leads, belongs to the group.
//
// An expression that no index answers. Where most groups are small, the planner takes this one for
// small, and would read all of it to find `m`. Ends with other names have the same expression.
//
// access  fragment
// param   group_id : STRING — the tenant
coalesce(m.group_id = $group_id, false)
