// List the entities that memories of a group mention, and those that are one with them.
//
// access  read
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING — the normalised form, or the name of an entity of Graphiti
// returns ours      : BOOLEAN — false for an entity of Graphiti
// returns same      : LIST<STRING> — ids of entities that a relation makes one with it
// returns treated   : BOOLEAN — whether the run may treat it
// include learning/mentioned/chosen
WITH e AS m
RETURN m.uuid AS entity_id,
       CASE WHEN m:NamedEntity THEN m.kind ELSE 'name' END AS kind,
       coalesce(CASE WHEN m:NamedEntity THEN m.key END, toStringOrNull(m.name), '') AS name,
       m:NamedEntity AS ours,
       COLLECT { MATCH (m)-[:SAME_AS]->(other) RETURN other.uuid } AS same,
       // include fragments/maintenance/in_canary
       AS treated
ORDER BY entity_id
