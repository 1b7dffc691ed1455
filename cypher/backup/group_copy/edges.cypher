// Read the relationships of a group.
//
// access  stream
// returns from_id    : STRING
// returns to_id      : STRING
// returns type       : STRING
// returns properties : MAP
MATCH (n)
WHERE NOT n:MovedCopy AND
  // include fragments/move/of_group
MATCH (n)-[r]->(other)
RETURN elementId(n) AS from_id, elementId(other) AS to_id, type(r) AS type,
  // include fragments/backup/edge_properties
  AS properties
