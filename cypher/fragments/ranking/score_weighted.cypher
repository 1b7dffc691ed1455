// Score candidates by similarity, recency of use and `importance`, as a weighted sum.
//
// access  fragment
// param   weights        : LIST<FLOAT> [1] — semantic, recency, importance; they sum to 1
// param   half_life_days : FLOAT [d] — half-life of recency, > 0
// param   now            : STRING — ISO 8601, UTC
// source  0.60 similarity + 0.25 recency + 0.15 importance, recency = 2^(-days / half-life)
WITH m, similarity, importance,
     (datetime($now).epochMillis
       - coalesce(datetime(m.last_accessed_at), m.created_at).epochMillis) / 86400000.0 AS days
WITH m, similarity, {
  semantic: similarity,
  recency: exp(-log(2) * CASE WHEN days > 0 THEN days ELSE 0.0 END / $half_life_days),
  importance: coalesce(importance, 6.0) / 10.0
} AS components
WITH m, similarity, components,
     $weights[0] * components.semantic + $weights[1] * components.recency
       + $weights[2] * components.importance AS score
