// Count the nodes and relationships of the database.
//
// access  read
// returns total : INTEGER
RETURN COUNT { MATCH (n) } + COUNT { MATCH (a)-[r]->(b) } AS total
