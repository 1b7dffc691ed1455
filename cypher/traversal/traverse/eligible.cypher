// Keep of the steps over `r` to memory `m` those that a walk may take, and `fan` of them at most.
//
// A memory that a filter leaves out may still be passed through; one walked already is not.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   seen     : LIST<STRING> — ids of the memories walked so far
// param   fan      : INTEGER — the relations of one memory, of one kind, that are compared
WHERE m.group_id = $group_id AND NOT m.uuid IN $seen
AND
// include fragments/time/relation_holds
AND
// include fragments/time/memory_holds
WITH r, m
LIMIT $fan
