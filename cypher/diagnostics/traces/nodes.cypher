// Read the texts of every node of a group, whatever its labels.
//
// access  stream
// param   group_id : STRING — the tenant
// returns node    : STRING — element id
// returns labels  : LIST<STRING>
// returns id      : STRING? — id of the memory, entity or record
// returns vector  : BOOLEAN — whether it has the vector of a content
// returns texts   : LIST<ANY> — pairs of a property and its text
// returns lists   : LIST<ANY> — pairs of a property and its texts
MATCH (n)
WHERE (n.group_id = $group_id
    OR n.session_id STARTS WITH $group_id + '|'
    OR n.conversation_key STARTS WITH $group_id + '|')
  AND NOT n:Control  // receipts hold ids, and no texts
RETURN elementId(n) AS node, labels(n) AS labels,
       toStringOrNull(coalesce(n.uuid, n.memory_id, n.job_id, n.session_id)) AS id,
       n.embedding IS NOT NULL AS vector,
       [key IN keys(n) WHERE n[key] IS :: STRING NOT NULL | [key, n[key]]] AS texts,
       [key IN keys(n) WHERE n[key] IS :: LIST<STRING NOT NULL> NOT NULL | [key, n[key]]] AS lists
