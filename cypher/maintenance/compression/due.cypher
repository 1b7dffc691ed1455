// List the memories whose content is to be compressed or restored, in the order of ids.
//
// The content of an expired or deleted memory stays as it is.
//
// access  read
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id : STRING
// returns state     : STRING
// returns compress  : BOOLEAN
// returns content   : STRING — as it is stored
// returns packed    : STRING? — the whole, compressed
MATCH (m:Memory {packing_due: true})
WHERE m.uuid > $after_id AND m.content IS NOT NULL AND
  // include fragments/maintenance/in_scope
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, m.lifecycle_state AS state, CASE
  WHEN m.lifecycle_state = 'ARCHIVED' THEN true
  WHEN m.lifecycle_state IN ['ACTIVE', 'DORMANT'] THEN false
  ELSE m.content_gz IS NOT NULL
END AS compress, m.content AS content, m.content_gz AS packed
ORDER BY memory_id
