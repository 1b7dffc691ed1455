// Record the places of a conversation at which the contents of memories were stated.
//
// The write to the conversation takes a lock, so that of two writers of one place the second finds
// it. A backup holds writers of memories, so the memory is locked, too.
//
// access  write
// param   group_id        : STRING — the tenant
// param   conversation_id : STRING
// param   turns           : LIST<MAP> — memory_id, position, role, at; sorted by memory_id
MERGE (talk:Conversation {conversation_key: $group_id + '|' + $conversation_id})
SET talk.group_id = $group_id
WITH talk
UNWIND $turns AS turn
MATCH (m:Memory {uuid: turn.memory_id, group_id: $group_id})
// include fragments/memory/lock
MERGE (talk)-[place:HAS_TURN {position: turn.position}]->(m)
ON CREATE SET place.role = turn.role, place.at = turn.at
