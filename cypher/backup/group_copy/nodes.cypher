// Read the nodes of a group, whatever their labels.
//
// access  stream
// returns id         : STRING
// returns labels     : LIST<STRING>
// returns properties : MAP
MATCH (n)
WHERE NOT n:MovedCopy AND
  // include fragments/move/of_group
RETURN elementId(n) AS id, labels(n) AS labels,
  // include fragments/backup/node_properties
  AS properties
