// List the memories of a conversation, the deleted ones included.
//
// access  read
// param   group_id        : STRING — the tenant
// param   conversation_id : STRING
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id, conversation_id: $conversation_id})
RETURN m.uuid AS memory_id ORDER BY memory_id
