// Take hashes of values of slots off the tombstones of a group, and return the changed ones.
//
// access  write
// param   group_id : STRING — the tenant
// param   marks    : LIST<STRING>
// param   lookups  : LIST<STRING> — the same hashes as Lucene queries
// returns tombstone_id : STRING
UNWIND $lookups AS lookup
CALL db.index.fulltext.queryNodes('tombstone_mark_idx', lookup) YIELD node AS t
WITH DISTINCT t WHERE t.group_id = $group_id
SET t.slots = [mark IN t.slots WHERE NOT mark IN $marks]
RETURN t.uuid AS tombstone_id
