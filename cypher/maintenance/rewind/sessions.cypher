// Remove from sessions the uses of memories after an instant.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   batch : INTEGER — sessions in one transaction
MATCH (s:Session)
WHERE s.updated_at > $until AND size(coalesce(s.used_ids, [])) > 0
CALL (s) {
  WITH s, [i IN range(0, size(s.used_ids) - 1) WHERE s.used_at[i] <= $until] AS kept
  SET
    s.used_ids = [i IN kept | s.used_ids[i]],
    s.used_at = [i IN kept | s.used_at[i]]
} IN TRANSACTIONS OF $batch ROWS
