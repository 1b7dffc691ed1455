// Read the texts of some nodes of a group, with the names of their properties.
//
// access  stream
// param   nodes    : LIST<STRING> — element ids
// returns node    : STRING — element id
// returns labels  : LIST<STRING>
// returns id      : STRING? — id of the memory, entity or record
// returns vector  : BOOLEAN — whether it has the vector of a content
// returns texts   : LIST<ANY> — pairs of a property and its text
// returns lists   : LIST<ANY> — pairs of a property and its texts
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node
WITH n
WHERE
  // include diagnostics/traces/in_group
WITH n, properties(n) AS held
RETURN elementId(n) AS node, labels(n) AS labels,
  // include diagnostics/traces/own_id
  AS id,
       held.embedding IS NOT NULL AS vector,
       [key IN keys(held) WHERE held[key] IS :: STRING NOT NULL | [key, held[key]]] AS texts,
       [key IN keys(held) WHERE held[key] IS :: LIST<STRING NOT NULL> NOT NULL
         | [key, held[key]]] AS lists
