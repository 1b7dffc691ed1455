// List the applied migrations.
//
// access  read
// returns version    : INTEGER
// returns checksum   : STRING
// returns applied_at : STRING
MATCH (migration:SchemaMigration)
RETURN migration.version AS version, migration.checksum AS checksum,
       migration.applied_at AS applied_at
ORDER BY version
