// List the tombstones that statements may be the same as, or variants of, or share a value with.
//
// access  read
// param   group_id : STRING — the tenant
// param   keys     : LIST<STRING> — group|HMAC
// param   buckets  : LIST<STRING> — group|bucket
// param   marks    : LIST<STRING> — hashes of values of slots
// param   lookups  : LIST<STRING> — the same hashes as Lucene queries
// returns uuid       : STRING
// returns group_id   : STRING
// returns key        : STRING
// returns bucket     : STRING
// returns sketch     : LIST<INTEGER>
// returns reason     : STRING — rejected or erased
// returns note       : STRING?
// returns created_at : STRING — ISO 8601, UTC
// returns by         : STRING — tool or command
// returns memory_id  : STRING? — of the rejected memory
// returns slots      : LIST<STRING> — those of the marks that it has
CALL () {
  MATCH (t:Tombstone)
  WHERE t.key IN $keys OR t.bucket IN $buckets
  RETURN t
  UNION
  UNWIND $lookups AS lookup
  CALL db.index.fulltext.queryNodes('tombstone_mark_idx', lookup) YIELD node AS t
  WITH t WHERE t.group_id = $group_id
  RETURN t
}
RETURN t.uuid AS uuid, t.group_id AS group_id, t.key AS key, t.bucket AS bucket,
       t.sketch AS sketch, t.reason AS reason, t.note AS note, t.created_at AS created_at,
       t.by AS by, t.memory_id AS memory_id,
       [mark IN coalesce(t.slots, []) WHERE mark IN $marks] AS slots
ORDER BY created_at, uuid
