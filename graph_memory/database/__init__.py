"""The one door to Neo4j: driver, statements, schema and write-behind queues."""
