// Count the memories of a group in a range of ids by tag, except deleted ones.
//
// Tags that differ in case only are one tag, as in filters.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// returns name      : STRING — in lower case
// returns spellings : LIST<STRING>
// returns count     : INTEGER
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE $after_id < m.uuid <= $last_id AND m.soft_deleted_at IS NULL
UNWIND
// include fragments/memory/tags
AS tag
WITH m, tag WHERE tag IS NOT NULL
RETURN toLower(tag) AS name, collect(DISTINCT tag) AS spellings, count(DISTINCT m) AS count
