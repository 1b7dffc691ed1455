// Check that node `n` belongs to a backup: not schema records, tokens or process state.
//
// access  fragment
NOT n:SchemaMigration|AccessToken|KeptTombstone AND NOT (n:Control AND (
  n.key IN ['maintenance', 'backup', 'restore'] OR n.key STARTS WITH 'rate:'
  OR n.key STARTS WITH 'move|'
))
