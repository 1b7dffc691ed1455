// Find the neighbours of the best hits, scored by meaning alone.
//
// They contain no word of the question, or the search would have found them.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1] — cosine, 0 or more
// returns components : MAP
// returns distance   : INTEGER — relations from the nearest anchor; null if not reached
// returns passage    : LIST<INTEGER>? — start and end in a long content
// variant sound
// include search/retrieval/neighbours
WITH similarity, distance, CASE WHEN similarity > 0.5 THEN 2 * similarity - 1 ELSE 0.0 END AS score,
  // include fragments/memory/brief
  AS memory,
  // include search/retrieval/passage
  AS passage
RETURN memory, similarity, score, {text: 0.0} AS components, distance, passage
