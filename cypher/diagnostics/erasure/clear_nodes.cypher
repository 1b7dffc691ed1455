// Delete nodes of a group that hold erased texts, with their parts, by their element ids.
//
// access  write
// param   group_id : STRING — the tenant
// param   nodes    : LIST<STRING> — element ids
UNWIND $nodes AS id
MATCH (n) WHERE elementId(n) = id
WITH n WHERE n.group_id = $group_id
  OR n.session_id STARTS WITH $group_id + '|' OR n.conversation_key STARTS WITH $group_id + '|'
OPTIONAL MATCH (n)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
  (part:MemoryVersion|WordVectors|Passage|Proposal)
DETACH DELETE part, n
