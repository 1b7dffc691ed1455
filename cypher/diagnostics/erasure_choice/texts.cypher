// Read the texts of every memory of a group, those of its versions included.
//
// The full-text index finds no other accents, no titles and no compressed contents.
//
// access  stream
// param   group_id : STRING — the tenant
// returns memory_id : STRING
// returns lead      : STRING — title, or the beginning of the content
// returns packed    : STRING? — the compressed content
// returns texts     : LIST<STRING> — without nulls
MATCH (m:Memory {group_id: $group_id})
RETURN m.uuid AS memory_id,
       left(coalesce(toStringOrNull(m.name), toStringOrNull(m.content), ''), 80) AS lead,
       m.content_gz AS packed,
       [text IN [m.content, m.name, m.summary, m.metadata_json, m.attachments_json]
         + coalesce(m.tags, []) + COLLECT {
         MATCH (m)-[:HAS_VERSION]->(v:MemoryVersion)
         UNWIND [v.content, v.name] AS earlier
         RETURN earlier
       } WHERE text IS :: STRING NOT NULL] AS texts
ORDER BY memory_id
