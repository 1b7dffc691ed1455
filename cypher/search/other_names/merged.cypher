// List the names of each two entities of a group that an accepted proposal made one.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER — most pairs
// returns names : LIST<STRING> — two normalised forms, or names of entities of Graphiti
MATCH (p:Proposal {group_id: $group_id, status: 'accepted'})
WHERE p.kind = 'same_as'
WITH p ORDER BY p.uuid LIMIT $limit
// include learning/review/ends
WHERE EXISTS { (a)-[:SAME_AS]-(b) }
RETURN [e IN [a, b] | coalesce(CASE WHEN e:NamedEntity THEN e.key END, toStringOrNull(e.name), '')]
  AS names
