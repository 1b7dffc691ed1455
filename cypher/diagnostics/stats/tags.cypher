// Count the memories of a group by tag, except deleted ones, most frequent first.
//
// Tags that differ in case only are one tag, as in filters; it is named in lower case.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER — tags to name
// returns name  : STRING
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
UNWIND
// include fragments/memory/tags
AS tag
WITH m, tag WHERE tag IS NOT NULL
WITH toLower(tag) AS folded, collect(DISTINCT tag) AS spellings, count(DISTINCT m) AS count
RETURN CASE size(spellings) WHEN 1 THEN spellings[0] ELSE folded END AS name, count
ORDER BY count DESC, name
LIMIT $limit
