// Move what Graphiti made from one group to another: entities that are no memories, and the rest.
//
// access  batch
// param   from_id : STRING
// param   to_id   : STRING
// param   batch   : INTEGER — nodes in one transaction
CALL () {
  MATCH (n:Entity {group_id: $from_id})
  WHERE n.group_key IS NULL
  RETURN n
UNION ALL
  MATCH (n:Episodic|Community|Saga)
  WHERE n.group_id = $from_id
  RETURN n
}
CALL (n) {
  SET n.group_id = $to_id
} IN TRANSACTIONS OF $batch ROWS
