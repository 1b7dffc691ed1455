// Restore the places of conversations at which the contents of memories were stated.
//
// The memory is locked, because a backup holds writers of memories.
//
// access  write
// param   group_id : STRING — the tenant
// param   turns    : LIST<MAP> — memory_id, conversation_id, position, role, at; sorted by id
UNWIND $turns AS turn
MATCH (m:Memory {uuid: turn.memory_id, group_id: $group_id})
// include fragments/memory/lock
MERGE (talk:Conversation {conversation_key: $group_id + '|' + turn.conversation_id})
ON CREATE SET talk.group_id = $group_id
MERGE (talk)-[place:HAS_TURN {position: turn.position}]->(m)
ON CREATE SET place.role = turn.role, place.at = turn.at
