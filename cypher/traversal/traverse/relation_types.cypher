// List the types of a group's relations, the most frequent first.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER
// returns name : STRING
MATCH ()-[r:RELATES_TO {group_id: $group_id}]->()
WHERE r.name IS NOT NULL
WITH r.name AS name, count(*) AS relations
RETURN name ORDER BY relations DESC, name LIMIT $limit
