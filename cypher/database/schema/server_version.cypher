// Return the version of Neo4j.
//
// access  read
// returns version : STRING
CALL dbms.components() YIELD name, versions
WITH versions
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version
