// Walk from the best memories `m` by `similarity`, and rank the memories found in either way.
//
// access  fragment
// param   anchors : INTEGER — number of the nearest memories from which the walk starts
WITH m, similarity ORDER BY similarity DESC, m.uuid
WITH collect({m: m, similarity: similarity}) AS near
WITH near, [x IN near | x.m][..$anchors] AS anchors
// include fragments/ranking/spread
UNWIND near + reached AS x
WITH x.m AS m, max(x.similarity) AS near, min(x.distance) AS distance
// include fragments/memory/filter
// include fragments/ranking/measures
// include fragments/ranking/importance
// include fragments/ranking/score_hybrid
// include search/search/best
