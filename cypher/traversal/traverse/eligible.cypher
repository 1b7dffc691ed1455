// Keep the steps over `r` to memory `m` that a walk may take, at most `fan` of them.
//
// A walk passes through memories that a filter leaves out, but not through visited ones.
//
// access  fragment
// param   seen     : LIST<STRING> — ids of the memories visited so far
// param   fan      : INTEGER — relations of one memory and kind to compare, at most
WHERE NOT m.uuid IN $seen
AND
// include fragments/memory/in_group
AND
// include fragments/time/relation_holds
AND
// include fragments/time/memory_holds
WITH r, m
LIMIT $fan
