// Bind in `m` the memories of a page of a group, found by their ids of Neo4j alone.
//
// The group is checked last, or the planner may read all memories of the group for each page.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   ids      : LIST<STRING> — of Neo4j, of the memories of the page
UNWIND $ids AS id
MATCH (m) WHERE elementId(m) = id
WITH m WHERE m:Memory AND m.group_id = $group_id
