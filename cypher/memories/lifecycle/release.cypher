// Release a preserved memory, which fades from now on; other protections stay.
//
// access  write
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   now       : STRING — ISO 8601, UTC
// returns memory_id : STRING
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
WITH *,
  // include fragments/change/values
  AS was
CALL (m) {
  // include decay/protection
  SET
    m.unprotected_at =
      CASE WHEN m.preserve_until < $now THEN m.preserve_until ELSE m.unprotected_at END,
    m.is_protected = CASE WHEN protection IS NOT NULL THEN true END
}
SET m.tags = [tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) <> 'preserved'], m.preserve_until = null
// include fragments/change/note
WITH m
// include decay/store_score
RETURN m.uuid AS memory_id
