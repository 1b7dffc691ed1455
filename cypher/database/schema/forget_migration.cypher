// Delete the record of a migration that was undone.
//
// access  write
// param   version : INTEGER
MATCH (migration:SchemaMigration {version: $version})
DELETE migration
