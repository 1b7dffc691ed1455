// Check that node `n` belongs to a group and moves with it; receipts are copied on their own.
//
// access  fragment
// param   group_id : STRING — the tenant
(
  // include fragments/group/belongs
  OR ((n:Control OR n:MovedCopy) AND n.key IN
    ['feedback|' + $group_id, 'weights|' + $group_id, 'settings|' + $group_id,
     'rules:' + $group_id]))
AND NOT (n:Control AND n.key STARTS WITH 'erasure:')
