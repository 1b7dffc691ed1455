// Go through the memories `m` that hold words of the question, those that hold most first.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states to serve
UNWIND worded AS x
WITH x.m AS m, x.text AS text ORDER BY text DESC
WITH m, text WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
WITH m, text
