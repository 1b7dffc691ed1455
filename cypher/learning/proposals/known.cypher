// List the proposals of a list that exist already, open or decided.
//
// access  read
// param   proposal_ids : LIST<STRING>
// returns proposal_id : STRING
UNWIND $proposal_ids AS proposal_id
MATCH (p:Proposal {uuid: proposal_id})
RETURN p.uuid AS proposal_id
