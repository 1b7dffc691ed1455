// Find the entities of a group with the most similar names, by vector.
//
// access  read
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — query vector
// param   candidates : INTEGER — neighbours to examine
// param   limit      : INTEGER
// param   min_score  : FLOAT [1] — 0..1, exclusive, of (1 + cosine) / 2
// returns entity : MAP<ANY>
MATCH (n:Entity)
  SEARCH n IN (
    VECTOR INDEX entity_name_embedding_idx FOR $vector WHERE n.group_id = $group_id
    LIMIT $candidates
  ) SCORE AS score
WITH n, score WHERE score > $min_score AND n.soft_deleted_at IS NULL
WITH n, score ORDER BY score DESC, n.uuid LIMIT $limit
// include graphiti/search/entity
RETURN entity
ORDER BY score DESC, n.uuid
