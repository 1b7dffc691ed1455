// Check that node `n` belongs to a group and moves with it; receipts are copied on their own.
//
// access  fragment
// param   group_id : STRING — the tenant
(n.group_id = $group_id
  OR n.session_id STARTS WITH $group_id + '|'
  OR n.conversation_key STARTS WITH $group_id + '|'
  OR ((n:Control OR n:MovedCopy) AND n.key IN
    ['feedback|' + $group_id, 'weights|' + $group_id, 'settings|' + $group_id,
     'rules:' + $group_id]))
AND NOT (n:Control AND n.key STARTS WITH 'erasure:')
