// Read every node that belongs to a backup.
//
// access  stream
// returns id         : STRING
// returns labels     : LIST<STRING>
// returns properties : MAP
MATCH (n)
WHERE
  // include fragments/backup/kept
RETURN elementId(n) AS id, labels(n) AS labels,
  // include fragments/backup/node_properties
  AS properties
