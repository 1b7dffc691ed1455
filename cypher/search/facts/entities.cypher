// Find the entities of a group that answer a question, by meaning and by words, best first.
//
// access  read
// returns entity_id  : STRING
// returns name       : STRING
// returns summary    : STRING
// returns labels     : LIST<STRING>
// returns state      : STRING
// returns importance : FLOAT
// returns created_at : ZONED DATETIME
// returns score      : FLOAT [1] — 1 if first by meaning and by words
// variant filtered
// include search/facts/found_entities
// include search/facts/best_entities
