// Bind in `m` the memories of a page of a group, found by their ids of Neo4j alone.
//
// The label and the group are in a CASE, which no index serves. Else the planner may read all
// memories for each page.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   ids      : LIST<STRING> — of Neo4j, of the memories of the page
UNWIND $ids AS id
MATCH (m) WHERE elementId(m) = id
WITH m WHERE CASE WHEN m:Memory THEN m.group_id = $group_id ELSE false END
