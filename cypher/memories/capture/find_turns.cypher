// List the memories captured at given places of a conversation, deleted ones included.
//
// access  read
// param   group_id        : STRING — the tenant
// param   conversation_id : STRING
// param   positions       : LIST<STRING>
// returns position  : STRING
// returns memory_id : STRING
MATCH (:Conversation {conversation_key: $group_id + '|' + $conversation_id})-[turn:HAS_TURN]->(m)
WHERE turn.position IN $positions
RETURN turn.position AS position, m.uuid AS memory_id
