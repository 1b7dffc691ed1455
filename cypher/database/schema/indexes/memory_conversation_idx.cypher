// Find memories by conversation.
//
// access  schema
CREATE INDEX memory_conversation_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.conversation_id)
