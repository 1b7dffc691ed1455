// Append new memory `m` to the chain of its conversation.
//
// The write to the conversation takes a lock, so concurrent writers append in turn and the chain
// does not fork.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   origin   : MAP — way_in, caller and origin_id
// param   now      : STRING — ISO 8601, UTC
CALL (m, row) {
  WITH m, row WHERE m.uuid = row.memory_id AND row.conversation_id IS NOT NULL
  MERGE (talk:Conversation {conversation_key: $group_id + '|' + row.conversation_id})
  SET talk.group_id = $group_id
  WITH m, row, talk, talk.last_memory_id AS last_id
  SET talk.last_memory_id = m.uuid
  WITH m, row, last_id
  MATCH (last:Memory {uuid: last_id, group_id: $group_id})
  CREATE (last)-[:RELATES_TO {
    uuid: row.link_id, edge_key: last.uuid + '|precedes|' + m.uuid, group_id: $group_id,
    group_key: m.group_key,
    name: 'precedes', strength: 0.5, fact: last.name + ' precedes ' + m.name, episodes: [],
    origin_authority: CASE WHEN last.origin_authority IS NOT NULL AND m.origin_authority IS NOT NULL
      THEN 'derived' END,
    origin_way_in: $origin.way_in, origin_caller: $origin.caller, origin_id: $origin.origin_id,
    metadata_json: '{}', created_at: datetime($now), valid_at: datetime($now)
  }]->(m)
}
