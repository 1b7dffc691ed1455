// Score candidates by the convex sum of their normalised similarity and text score.
//
// Cosine is normalised from 0, full text from 0, both to the best candidate's.
//
// access  fragment
// param   vector_weight : FLOAT [1] — 0..1; full text has the rest
// source  Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval (2023)
WITH collect({m: m, s: coalesce(2 * similarity - 1, 0.0), t: text_score}) AS found
WITH found,
     reduce(best = 1e-9, x IN found | CASE WHEN x.s > best THEN x.s ELSE best END) AS best_s,
     reduce(best = 1e-9, x IN found | CASE WHEN x.t > best THEN x.t ELSE best END) AS best_t
UNWIND found AS x
WITH x.m AS m, (1 + x.s) / 2 AS similarity,
     {
       semantic: CASE WHEN x.s > 0 THEN x.s / best_s ELSE 0.0 END,
       text: x.t / best_t
     } AS components
WITH m, similarity, components,
     $vector_weight * components.semantic + (1 - $vector_weight) * components.text AS score
