// Read every relationship of the database.
//
// access  stream
// returns from_id    : STRING
// returns to_id      : STRING
// returns type       : STRING
// returns properties : MAP
MATCH (a)-[r]->(b)
RETURN elementId(a) AS from_id, elementId(b) AS to_id, type(r) AS type,
  // include fragments/backup/edge_properties
  AS properties
