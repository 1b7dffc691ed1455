// Keep the id of a proposal unique.
//
// access  schema
CREATE CONSTRAINT proposal_uuid_key IF NOT EXISTS
FOR (n:Proposal)
REQUIRE n.uuid IS UNIQUE
