// Compute the id of the memory, entity or record that node `n` is, or null.
//
// access  fragment
toStringOrNull(coalesce(n.uuid, n.memory_id, n.job_id, n.session_id))
