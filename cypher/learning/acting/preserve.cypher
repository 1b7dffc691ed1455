// Preserve the memories of a cluster for ever, and make them ACTIVE.
//
// access  write
// returns memory_id : STRING
// returns packed    : STRING? — compressed content of a reactivated memory
// include learning/acting/begin
WITH *,
  // include fragments/change/values
  AS was
SET
  m.tags = [tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) <> 'preserved'] + 'preserved',
  m.preserve_until = null
WITH m, was, earlier
CALL (m, was) {
  // include fragments/change/note
}
CALL (m) {
  // include decay/next_state
  WITH *, 'preserve' AS reason, 'ACTIVE' AS entered
  // include decay/enter_state
}
// include decay/store_score
// include learning/acting/record
RETURN m.uuid AS memory_id, m.content_gz AS packed
