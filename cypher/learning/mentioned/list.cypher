// List the entities of a group that most memories mention.
//
// access  read
// param   limit : INTEGER — entities at most
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING
// returns aliases   : LIST<MAP> — entity_id, kind and name of those that are one with it
// returns memories  : INTEGER — memories that mention it
// returns mentions  : LIST<MAP> — memory_id, lead, text, starts and ends
// include learning/mentioned/chosen
// include learning/mentioned/one
WITH DISTINCT one
CALL (one) {
  UNWIND one AS x
  RETURN sum(COUNT { (x)<-[:HAS_MENTION]-() }) AS degree
}
WITH one ORDER BY degree DESC, one[0].uuid LIMIT $limit
// include learning/mentioned/described
// include learning/mentioned/returned
