// Delete nodes of a group that hold erased texts, with their parts, by their element ids.
//
// access  write
// param   nodes    : LIST<STRING> — element ids
UNWIND $nodes AS id
MATCH (n) WHERE elementId(n) = id
WITH n
WHERE
  // include fragments/group/belongs
OPTIONAL MATCH (n)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
  (part:MemoryVersion|WordVectors|Passage|Proposal)
DETACH DELETE part, n
