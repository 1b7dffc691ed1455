// Find the proposals of a maintenance run.
//
// access  schema
CREATE INDEX proposal_run_idx IF NOT EXISTS
FOR (n:Proposal)
ON (n.run_id)
