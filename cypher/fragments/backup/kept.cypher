// Check that node `n` belongs to a backup: not schema records, secrets or process state.
//
// access  fragment
NOT n:SchemaMigration AND NOT n:AccessToken AND NOT (n:Control AND (
  n.key IN ['maintenance', 'backup', 'restore'] OR n.key STARTS WITH 'rate:'
))
