// Find conversations of a group by their place in the order of time, with their times.
//
// Their order is that of their last memories, because each conversation keeps the id of its own.
//
// access  read
// param   group_id : STRING — the tenant
// param   asked_at : STRING — ISO 8601, UTC; later conversations do not count
// param   latest   : BOOLEAN — true to count from the latest, false from the earliest
// param   skip     : INTEGER — conversations to skip
// param   limit    : INTEGER — most conversations
// returns start : ZONED DATETIME — creation of the first memory that has the id; else the end
// returns end   : ZONED DATETIME — creation of the last memory
MATCH (talk:Conversation)
USING INDEX talk:Conversation(conversation_key)
WHERE talk.conversation_key STARTS WITH $group_id + '|'
MATCH (last:Memory {uuid: talk.last_memory_id, group_id: $group_id})
WHERE last.created_at IS :: ZONED DATETIME NOT NULL AND last.created_at <= datetime($asked_at)
WITH last, CASE WHEN $latest THEN -1 ELSE 1 END * last.created_at.epochMillis AS place
ORDER BY place, last.uuid SKIP $skip LIMIT $limit
CALL (last) {
  MATCH (m:Memory)
  USING INDEX m:Memory(group_id, conversation_id)
  WHERE m.group_id = $group_id AND m.conversation_id = last.conversation_id
    AND m.created_at IS :: ZONED DATETIME NOT NULL
  RETURN min(m.created_at) AS start
}
WITH start, last.created_at AS end, place
RETURN coalesce(start, end) AS start, end ORDER BY place
