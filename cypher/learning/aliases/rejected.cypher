// List the rejected proposals that two entities of a group are one.
//
// access  read
// param   group_id : STRING — the tenant
// returns proposal_id : STRING
MATCH (p:Proposal {group_id: $group_id, status: 'rejected'})
WHERE p.kind = 'same_as'
RETURN p.uuid AS proposal_id
