// Delete the tombstones that the rejection of memory `m` left, and bind their ids as `lifted`.
//
// access  fragment
// param   group_id : STRING — the tenant
CALL (m) {
  MATCH (t:Tombstone {group_id: $group_id})
  WHERE t.memory_id = m.uuid
  WITH t, t.uuid AS lifted_id
  DELETE t
  RETURN collect(lifted_id) AS lifted
}
