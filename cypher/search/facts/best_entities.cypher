// Fuse two rankings of entities `m` by reciprocal rank, and return the best.
//
// access  fragment
// param   limit : INTEGER
// source  Cormack, Clarke, Buettcher: Reciprocal Rank Fusion (2009), with k = 60
WITH m, sum(1.0 / (60 + place)) AS score
ORDER BY score DESC, m.created_at DESC, m.uuid LIMIT $limit
RETURN m.uuid AS entity_id, m.name AS name, coalesce(m.summary, '') AS summary,
       labels(m) AS labels, m.lifecycle_state AS state, m.importance AS importance,
       m.created_at AS created_at, round(score * 30.5, 6) AS score
ORDER BY score DESC, created_at DESC, entity_id
