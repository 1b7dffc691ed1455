// Whether node `n` is part of a backup: not what is the schema's, a secret's, or a process's own.
//
// access  fragment
NOT n:SchemaMigration AND NOT n:AccessToken AND NOT (n:Control AND (
  n.key IN ['maintenance', 'backup', 'restore'] OR n.key STARTS WITH 'rate:'
))
