// List the memories that were changed after an instant, in the order of ids.
//
// access  read
// param   until    : STRING — ISO 8601, UTC
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   last_id  : STRING — of the last memory to look at
// param   limit    : INTEGER
// returns memory_id     : STRING
// returns group_id      : STRING
// returns content       : STRING | LIST<STRING> — plain, or a list of one compressed text
// returns created_at    : STRING — ISO 8601, UTC
// returns state_history : LIST<STRING>
// returns edit_history  : LIST<STRING>
// returns stored        : MAP — the present values
// returns version       : MAP? — id, content and other values of the text of that time; null if it
//                         is the present one
// returns rewritten     : LIST<STRING> — when texts were replaced until then
MATCH (m:Memory)
WHERE m.uuid > $after_id AND m.uuid <= $last_id AND (
  any(entry IN coalesce(m.state_history, []) + coalesce(m.edit_history, [])
    WHERE substring(entry, 8, 24) > $until)
  OR m.updated_at > $until OR m.state_changed_at > $until
  OR m.obsolete_at > $until OR m.ended_at > $until
  OR EXISTS { MATCH (m)-[:HAS_VERSION]->(v) WHERE v.expired_at > datetime($until) }
)
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, m.group_id AS group_id,
  // include fragments/memory/content
  AS content,
  format(datetime({epochMillis: m.created_at.epochMillis}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    AS created_at,
  coalesce(m.state_history, []) AS state_history, coalesce(m.edit_history, []) AS edit_history,
  m {
    .lifecycle_state, .obsolete_at, .obsolete_reason, .invalid_at, .ended_at, .updated_at,
    .last_accessed_at, .access_count, .unprotected_at, .confidence_decayed_at, .adopted_at
  } AS stored,
  head(COLLECT {
    MATCH (m)-[:HAS_VERSION]->(v:MemoryVersion)
    WHERE v.expired_at > datetime($until)
    WITH v ORDER BY v.created_at, v.expired_at
    RETURN v {
      .uuid, .content, .content_hash, .name, .origin_authority, .origin_way_in, .origin_caller,
      .origin_id,
      until: format(datetime({epochMillis: v.expired_at.epochMillis}),
        "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    }
  }) AS version,
  COLLECT {
    MATCH (m)-[:HAS_VERSION]->(v:MemoryVersion)
    WHERE v.expired_at <= datetime($until)
    RETURN format(datetime({epochMillis: v.expired_at.epochMillis}),
      "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
  } AS rewritten
ORDER BY memory_id
