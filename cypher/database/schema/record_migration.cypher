// Remember that a migration was applied.
//
// access  write
// param   version  : INTEGER
// param   checksum : STRING — of the migration's statements
// param   now      : STRING — ISO 8601, UTC
MERGE (migration:SchemaMigration {version: $version})
SET migration.checksum = $checksum, migration.applied_at = $now
