// Store memories; of two writers of the same content, the second gets the id of the first.
//
// Their relations are created in the same transaction, so a client that repeats an interrupted call
// gets a duplicate error and never half a memory. Each relation names its memory as of_id.
//
// access  write
// param   group_id  : STRING — the tenant
// param   memories  : LIST<MAP> — properties, see below; authority is at most that of the origin
// param   origin    : MAP — way_in, caller, authority, above and origin_id
// param   now       : STRING — ISO 8601, UTC
// returns stored : LIST<MAP> — memory_id of the row, stored_id of the memory with its content
// returns made   : LIST<STRING> — of_id of each relation created
UNWIND $memories AS row
MERGE (m:Memory {dedup_key: row.dedup_key})
ON CREATE SET
  m:Entity,
  m.uuid = row.memory_id,
  m.group_id = $group_id,
  m.group_key = row.group_key,
  m.project_id = row.project_id,
  m.conversation_id = row.conversation_id,
  m.name = row.name,
  m.summary = row.summary,
  m.content = row.content,
  m.content_hash = row.content_hash,
  m.metadata_json = row.metadata_json,
  m.attachments_json = row.attachments_json,
  m.tags = row.tags,
  m.memory_type = row.memory_type,
  m.source = row.source,
  m.origin_authority = row.authority,
  m.origin_way_in = $origin.way_in,
  m.origin_caller = $origin.caller,
  m.origin_id = $origin.origin_id,
  m.importance = row.importance,
  m.importance_source = row.importance_source,
  m.stability = row.stability,
  m.stability_source = row.stability_source,
  m.confidence = row.confidence,
  m.decay_policy = row.decay_policy,
  m.decay_rate = row.decay_rate,
  m.decay_score = 0.0,
  m.last_decay_update = row.created_at,
  m.lifecycle_state = 'ACTIVE',
  m.state_changed_at = row.created_at,
  m.state_reason = 'created',
  m.state_history = [],
  m.access_count = 0,
  m.reinforcement_pending = 0,
  m.classification_status = row.classification_status,
  m.created_at = datetime(row.created_at),
  m.updated_at = row.created_at,
  m.valid_at = row.valid_at,
  m.embedding_model = row.embedding_model,
  m.embedding_dimension = row.embedding_dimension
WITH m, row,
  CASE WHEN m.uuid = row.memory_id THEN toFloatList(row.embedding) END AS vector,
  CASE WHEN m.uuid = row.memory_id THEN row.word_vectors END AS words,
  CASE WHEN m.uuid = row.memory_id THEN row.passages END AS passages
// include fragments/memory/embed
CALL (m, row) {
  WITH m, row WHERE m.uuid = row.memory_id AND row.parent_id IS NOT NULL
  MATCH (parent:Memory {uuid: row.parent_id, group_id: $group_id})
  MERGE (m)-[link:HAS_PARENT]->(parent)
  ON CREATE SET link.created_at = datetime($now)
}
// include memories/add/follow
// include decay/schedule
WITH collect({memory_id: row.memory_id, stored_id: m.uuid}) AS stored
// include memories/add/mark_copies
CALL () {
  // include fragments/relation/create
  RETURN collect(CASE WHEN r.uuid = row.relation_id THEN row.of_id END) AS made
}
RETURN stored, made
