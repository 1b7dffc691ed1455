// Find the proposals that a run decided.
//
// access  schema
CREATE INDEX proposal_decided_run_idx IF NOT EXISTS
FOR (n:Proposal)
ON (n.decided_run_id)
