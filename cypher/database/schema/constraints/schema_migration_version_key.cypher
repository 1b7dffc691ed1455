// Keep a migration's version unique.
//
// access  schema
CREATE CONSTRAINT schema_migration_version_key IF NOT EXISTS
FOR (n:SchemaMigration)
REQUIRE n.version IS UNIQUE
