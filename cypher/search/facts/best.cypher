// Fuse two rankings of facts `r` by reciprocal rank, and return the best.
//
// access  fragment
// param   limit : INTEGER
// source  Cormack, Clarke, Buettcher: Reciprocal Rank Fusion (2009), with k = 60
WITH r, sum(1.0 / (60 + place)) AS score
ORDER BY score DESC, r.created_at DESC, r.uuid LIMIT $limit
RETURN r.uuid AS fact_id, r.name AS name, r.fact AS fact, startNode(r).uuid AS source_id,
       endNode(r).uuid AS target_id, startNode(r).name AS source_name,
       endNode(r).name AS target_name, r.strength AS strength, r.valid_at AS valid_at,
       r.invalid_at AS invalid_at, r.created_at AS created_at, r.expired_at AS expired_at,
       coalesce(r.episodes, []) AS episodes, round(score * 30.5, 6) AS score,
       head([stored IN [r] |
         // include fragments/origin/stored
       ]) AS origin
ORDER BY score DESC, created_at DESC, fact_id
