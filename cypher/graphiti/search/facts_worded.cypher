// Find the facts of a group that contain any of the words.
//
// access  read
// param   group_id : STRING — the tenant
// param   lucene   : STRING — Lucene query that requires the group's key
// param   limit    : INTEGER
// returns fact : MAP<ANY>
CALL db.index.fulltext.queryRelationships('fact_text_idx', $lucene, {limit: $limit})
  YIELD relationship AS r, score
WHERE r.group_id = $group_id AND startNode(r):Entity AND endNode(r):Entity
  AND startNode(r).soft_deleted_at IS NULL AND endNode(r).soft_deleted_at IS NULL
// include graphiti/search/fact
RETURN fact
ORDER BY score DESC, r.uuid
