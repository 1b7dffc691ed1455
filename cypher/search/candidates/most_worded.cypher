// Yield the memories of `met` that contain words of the question, by their weight descending.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states to return
UNWIND met AS x
WITH x, x.m AS m, x.text AS text WHERE text > 0
WITH x, m, text ORDER BY text DESC
WITH x, m WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
WITH x, m
