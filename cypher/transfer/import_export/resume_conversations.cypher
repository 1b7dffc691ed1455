// Set the last memory of imported conversations, so that new memories follow it.
//
// The last memory is the one without a follower; among several imported parts, the latest one. The
// first write takes a lock, as in memories/add/follow.
//
// access  write
// param   group_id      : STRING — the tenant
// param   conversations : LIST<STRING> — sorted
UNWIND $conversations AS conversation_id
MERGE (talk:Conversation {conversation_key: $group_id + '|' + conversation_id})
SET talk.group_id = $group_id
WITH talk, conversation_id
CALL (conversation_id) {
  MATCH (m:Memory {group_id: $group_id, conversation_id: conversation_id})
  WHERE NOT EXISTS {
    (m)-[:RELATES_TO {name: 'precedes'}]->(:Memory {conversation_id: conversation_id})
  }
  RETURN m.uuid AS last_id
  ORDER BY m.created_at DESC, m.uuid
  LIMIT 1
}
SET talk.last_memory_id = last_id
