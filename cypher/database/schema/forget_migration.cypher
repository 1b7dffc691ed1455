// Remember that a migration was taken back.
//
// access  write
// param   version : INTEGER
MATCH (migration:SchemaMigration {version: $version})
DELETE migration
