// Read the texts of every node of a group, whatever its labels, without the names of properties.
//
// Names would be most of what is sent.
//
// access  stream
// returns node    : STRING — element id
// returns memory  : BOOLEAN — whether it is a memory
// returns id      : STRING? — id of the memory, entity or record
// returns packed  : STRING? — the compressed content
// returns values  : LIST<ANY> — all other texts, and lists of texts
MATCH (n)
WHERE
  // include diagnostics/traces/in_group
WITH n, properties(n) AS held
RETURN elementId(n) AS node, n:Memory AS memory,
  // include diagnostics/traces/own_id
  AS id,
       CASE WHEN held.content_gz IS :: STRING NOT NULL THEN held.content_gz END AS packed,
       [value IN [key IN keys(held)
           WHERE key <> 'group_id' AND (key <> 'content_gz' OR NOT held[key] IS :: STRING)
           | held[key]]
         WHERE value IS :: STRING NOT NULL OR value IS :: LIST<STRING NOT NULL> NOT NULL]
         AS values
