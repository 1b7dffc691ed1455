// Record an applied migration.
//
// access  write
// param   version  : INTEGER
// param   checksum : STRING — checksum of its statements
// param   now      : STRING — ISO 8601, UTC
MERGE (migration:SchemaMigration {version: $version})
SET migration.checksum = $checksum, migration.applied_at = $now
