// List entities of a group that are not memories yet, ordered by id.
//
// access  read
// param   group_id : STRING — the tenant
// param   labels   : LIST<STRING>? — any of these; null for all
// param   after_id : STRING
// param   limit    : INTEGER
// returns memory_id : STRING
// returns name      : STRING
// returns summary   : STRING?
// returns labels    : LIST<STRING>
MATCH (n:Entity {group_id: $group_id})
WHERE n.uuid > $after_id AND n.lifecycle_state IS NULL AND trim(n.name) <> ''
  AND n.created_at IS :: ZONED DATETIME NOT NULL
  AND ($labels IS NULL OR any(label IN labels(n) WHERE label IN $labels))
WITH n ORDER BY n.uuid LIMIT $limit
RETURN n.uuid AS memory_id, n.name AS name, n.summary AS summary, labels(n) AS labels
ORDER BY memory_id
