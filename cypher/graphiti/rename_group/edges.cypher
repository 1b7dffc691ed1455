// Move the relationships of nodes that were moved from one group to another.
//
// A fact moves when both of its ends have moved. A fact with an end at one of our memories stays.
//
// access  batch
// param   from_id : STRING
// param   to_id   : STRING
// param   batch   : INTEGER — relationships per transaction
CALL () {
  MATCH (:Entity {group_id: $to_id})-[r:RELATES_TO]->(b:Entity)
  WHERE r.group_id = $from_id AND coalesce(b.group_id = $to_id, false)
  RETURN r
UNION ALL
  MATCH (n:Episodic|Community|Saga)-[r:MENTIONS|HAS_MEMBER|HAS_EPISODE|NEXT_EPISODE]->()
  WHERE n.group_id = $to_id AND r.group_id = $from_id
  RETURN r
}
CALL (r) {
  SET r.group_id = $to_id
} IN TRANSACTIONS OF $batch ROWS
