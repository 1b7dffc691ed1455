// Erase purged memories permanently, with all that belongs to them.
//
// access  batch
// param   groups        : LIST<STRING>? — null: all
// param   purged_before : STRING — ISO 8601, UTC
// param   batch         : INTEGER — memories in one transaction
// returns erased : INTEGER
MATCH (m:PurgedMemory)
WHERE m.purged_at <= $purged_before AND ($groups IS NULL OR m.group_id IN $groups)
CALL (m) {
  OPTIONAL MATCH (was:EntityBefore {uuid: m.uuid})
  // include fragments/memory/forget_mentions
  OPTIONAL MATCH (m)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
    (part:MemoryVersion|WordVectors|Passage|Proposal)
  DETACH DELETE was, part, m
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
