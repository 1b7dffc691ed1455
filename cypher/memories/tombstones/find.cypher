// List the tombstones that statements may be the same as, or spelling variants of.
//
// access  read
// param   keys    : LIST<STRING> — group|HMAC
// param   buckets : LIST<STRING> — group|bucket
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
MATCH (t:Tombstone)
WHERE t.key IN $keys OR t.bucket IN $buckets
RETURN t.uuid AS uuid, t.group_id AS group_id, t.key AS key, t.bucket AS bucket,
       t.sketch AS sketch, t.reason AS reason, t.note AS note, t.created_at AS created_at,
       t.by AS by, t.memory_id AS memory_id
ORDER BY created_at, uuid
