// Check that node `n` belongs to a group, whatever its labels.
//
// access  fragment
// param   group_id : STRING — the tenant
(n.group_id = $group_id
  OR n.session_id STARTS WITH $group_id + '|'
  OR n.conversation_key STARTS WITH $group_id + '|')
