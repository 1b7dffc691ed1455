// Count the adopted memories of a group that lack the latest summary of Graphiti.
//
// access  read
// param   group_id : STRING — the tenant
// returns problem : STRING
// returns count   : INTEGER
// returns example : STRING — id of one of them
MATCH (m:Memory {group_id: $group_id})
// include fragments/memory/summary_changed
WITH count(*) AS count, min(m.uuid) AS example
WHERE count > 0
RETURN 'a memory lacks the summary that Graphiti has saved since' AS problem, count, example
