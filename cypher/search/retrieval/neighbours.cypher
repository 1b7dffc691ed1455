// Find the neighbours `m` of the anchors, changed memories and hits, with the inputs of the score.
//
// access  fragment
// param   group_id     : STRING — the tenant
// param   states       : LIST<STRING> — lifecycle states to return
// param   anchors      : LIST<STRING> — ids from which the walk starts
// param   again        : LIST<STRING> — ids of changed memories, whose distance is null
// param   found        : LIST<STRING> — ids of hits without content
// param   similarities : LIST<FLOAT> [1] — similarity of each of `found`
CALL () {
  MATCH (a:Memory)
  WHERE a.uuid IN $anchors AND a.group_id = $group_id
  RETURN collect(a) AS anchors
}
WITH [] AS near, anchors
// include fragments/ranking/spread
WITH reached
CALL (reached) {
  UNWIND reached AS x
  RETURN x.m AS m, x.distance AS distance, null AS similarity
UNION ALL
  MATCH (m:Memory)
  WHERE m.uuid IN $again AND m.group_id = $group_id AND m.lifecycle_state IN $states
  RETURN m, null AS distance, null AS similarity
UNION ALL
  UNWIND range(0, size($found) - 1) AS i
  MATCH (m:Memory {uuid: $found[i], group_id: $group_id})
  RETURN m, null AS distance, $similarities[i] AS similarity
}
WITH m, min(distance) AS distance, max(similarity) AS near
// include fragments/memory/filter
// include fragments/ranking/measures
