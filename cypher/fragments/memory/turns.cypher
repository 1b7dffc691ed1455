// Return the places of conversations at which the content of memory `m` was captured, as maps.
//
// An expression.
//
// access  fragment
COLLECT {
  MATCH (talk:Conversation)-[place:HAS_TURN]->(m)
  RETURN {
    conversation_id: substring(talk.conversation_key, size(m.group_id) + 1),
    position: place.position, role: place.role, at: place.at
  } ORDER BY talk.conversation_key, place.position
}
