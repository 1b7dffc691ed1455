// Find the most similar facts of a group, by vector.
//
// access  read
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — query vector
// param   candidates : INTEGER — neighbours to examine
// param   limit      : INTEGER
// param   min_score  : FLOAT [1] — 0..1, exclusive, of (1 + cosine) / 2
// returns fact : MAP<ANY>
MATCH ()-[r:RELATES_TO]->()
  SEARCH r IN (
    VECTOR INDEX fact_embedding_idx FOR $vector WHERE r.group_id = $group_id
    LIMIT $candidates
  ) SCORE AS score
WITH r, score WHERE score > $min_score AND startNode(r):Entity AND endNode(r):Entity
  AND startNode(r).soft_deleted_at IS NULL AND endNode(r).soft_deleted_at IS NULL
WITH r, score ORDER BY score DESC, r.uuid LIMIT $limit
// include graphiti/search/fact
RETURN fact
ORDER BY score DESC, r.uuid
