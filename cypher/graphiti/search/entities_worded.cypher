// Find the entities of a group that contain any of the words, among those that are memories.
//
// access  read
// param   group_id : STRING — the tenant
// param   lucene   : STRING — Lucene query that requires the group's key
// param   limit    : INTEGER
// returns entity : MAP<ANY>
CALL db.index.fulltext.queryNodes('memory_text_idx', $lucene, {limit: $limit})
  YIELD node AS n, score
WHERE n.group_id = $group_id AND n:Entity AND n.soft_deleted_at IS NULL
// include graphiti/search/entity
RETURN entity
ORDER BY score DESC, n.uuid
