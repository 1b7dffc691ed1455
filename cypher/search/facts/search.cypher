// Find the facts of a group that answer a question, by meaning and by words, best first.
//
// access  read
// returns fact_id     : STRING
// returns name        : STRING
// returns fact        : STRING?
// returns source_id   : STRING
// returns target_id   : STRING
// returns source_name : STRING
// returns target_name : STRING
// returns strength    : FLOAT?
// returns valid_at    : ZONED DATETIME?
// returns invalid_at  : ZONED DATETIME?
// returns created_at  : ZONED DATETIME
// returns expired_at  : ZONED DATETIME?
// returns episodes    : LIST<STRING>
// returns score       : FLOAT [1] — 1 if first by meaning and by words
// returns origin      : MAP? — way_in, caller, authority and origin_id
// variant filtered
// include search/facts/found
// include search/facts/best
