// Score memories by meaning, nearness in the graph, recency of use and importance.
//
// Takes `m`, its `similarity`, `importance`, `degree`, and `distance` from the anchors or null.
//
// access  fragment
// param   weights          : LIST<FLOAT> [1] — semantic, topological, temporal, importance; sum 1
// param   temporal_lambda  : FLOAT [1/unit] — ≥ 0
// param   temporal_unit_ms : FLOAT [ms] — > 0
// param   density_boost    : FLOAT [1] — 0 leaves relations out
// param   density_cap      : INTEGER — degree of full density, > 0
// param   computes_importance : BOOLEAN — whether centrality and use give the importance
// param   now              : STRING — ISO 8601, UTC
// source  0.4 max(0, cosine) + 0.3 / (distance + 1) + 0.2 exp(-lambda t) + 0.1 importance / 10
WITH m, similarity, distance,
     CASE WHEN $computes_importance AND m.centrality IS NOT NULL THEN
       // include fragments/ranking/computed_importance
       ELSE importance END AS importance,
     1 + $density_boost * CASE WHEN degree < $density_cap
       THEN toFloat(degree) / $density_cap ELSE 1.0 END AS density,
     (datetime($now).epochMillis - coalesce(datetime(m.last_accessed_at), m.created_at).epochMillis)
       / $temporal_unit_ms AS elapsed
WITH m, similarity, {
  semantic: CASE WHEN similarity > 0.5 THEN 2 * similarity - 1 ELSE 0.0 END,
  topological: CASE WHEN distance IS NULL THEN 0.0
    WHEN density > distance + 1 THEN 1.0 ELSE density / (distance + 1) END,
  temporal: exp(-$temporal_lambda * CASE WHEN elapsed > 0 THEN elapsed ELSE 0.0 END),
  importance: coalesce(importance, 6.0) / 10.0,
  distance: distance
} AS components
WITH m, similarity, components,
     $weights[0] * components.semantic + $weights[1] * components.topological
       + $weights[2] * components.temporal + $weights[3] * components.importance AS score
