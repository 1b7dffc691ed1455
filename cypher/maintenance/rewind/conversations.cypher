// Let conversations end with the last of their memories that exist; delete those without any.
//
// access  batch
// param   batch : INTEGER — conversations in one transaction
MATCH (talk:Conversation)
WHERE NOT EXISTS { MATCH (:Memory|PurgedMemory {uuid: talk.last_memory_id}) }
CALL (talk) {
  WITH talk, substring(talk.conversation_key, size(talk.group_id) + 1) AS conversation_id
  OPTIONAL MATCH (m:Memory)
  USING INDEX m:Memory(group_id, conversation_id)
  WHERE m.group_id = talk.group_id AND m.conversation_id = conversation_id
  // Nothing but the relations of the memory is read: no index on the name.
  WITH talk, m, EXISTS {
    MATCH (m)-[r:RELATES_TO]->(next:Memory)
    WHERE toString(r.name) = 'precedes' AND toString(next.conversation_id) = m.conversation_id
  } AS followed
  ORDER BY followed, m.created_at DESC, m.uuid DESC
  WITH talk, head(collect(m.uuid)) AS last
  SET talk.last_memory_id = last
  WITH talk WHERE last IS NULL AND NOT EXISTS { (talk)-[:HAS_TURN]->() }
  DELETE talk
} IN TRANSACTIONS OF $batch ROWS
