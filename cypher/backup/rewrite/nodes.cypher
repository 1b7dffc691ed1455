// Read every node of the database.
//
// access  stream
// returns id         : STRING
// returns labels     : LIST<STRING>
// returns properties : MAP
MATCH (n)
RETURN elementId(n) AS id, labels(n) AS labels,
  // include fragments/backup/node_properties
  AS properties
