// List the full-text analysers of this Neo4j.
//
// access  read
// returns analyzer : STRING
CALL db.index.fulltext.listAvailableAnalyzers()
YIELD analyzer
RETURN analyzer
