// Move Graphiti's nodes from one group to another: entities that are not memories, and all others.
//
// access  batch
// param   from_id : STRING
// param   to_id   : STRING
// param   batch   : INTEGER — nodes per transaction
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
