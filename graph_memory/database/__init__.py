"""Access to Neo4j: driver, statements, schema, indexes, lease and write-behind."""
