// Delete some memories of a group of which all is erased, with their parts.
//
// Entities and records stay until the rest of the group is erased.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id
WITH m ORDER BY m.uuid
OPTIONAL MATCH (m)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
  (part:MemoryVersion|WordVectors|Passage|Proposal)
DETACH DELETE part, m
