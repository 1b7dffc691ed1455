// Return the id at which a range of `limit` memories ends; no row if fewer are left.
//
// access  read
// param   after_id : STRING
// param   limit    : INTEGER
// returns last_id : STRING
MATCH (m:Memory)
WHERE m.uuid > $after_id
WITH m ORDER BY m.uuid SKIP $limit - 1 LIMIT 1
RETURN m.uuid AS last_id
