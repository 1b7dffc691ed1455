// Read the texts of every relationship that begins at a node of a group.
//
// access  stream
// param   group_id : STRING — the tenant
// returns edge    : STRING — element id
// returns type    : STRING
// returns from_id : STRING?
// returns to_id   : STRING?
// returns to      : STRING — element id of the other node
// returns id      : STRING?
// returns texts   : LIST<ANY> — pairs of a property and its text
MATCH (a)-[r]->(b)
WHERE a.group_id = $group_id
RETURN elementId(r) AS edge, type(r) AS type, toStringOrNull(a.uuid) AS from_id,
       toStringOrNull(b.uuid) AS to_id, elementId(b) AS to, toStringOrNull(r.uuid) AS id,
       [key IN keys(r) WHERE r[key] IS :: STRING NOT NULL | [key, r[key]]] AS texts
