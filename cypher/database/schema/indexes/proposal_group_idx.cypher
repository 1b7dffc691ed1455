// Find the proposals of a group by status.
//
// access  schema
CREATE INDEX proposal_group_idx IF NOT EXISTS
FOR (n:Proposal)
ON (n.group_id, n.status)
