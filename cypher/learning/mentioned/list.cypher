// List the entities of a group that most memories mention.
//
// access  read
// param   limit : INTEGER — entities at most
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING? — name of an entity of Graphiti
// returns key       : STRING — the normalised form, or the name
// returns memories  : INTEGER — memories that mention it
// returns mentions  : LIST<MAP> — memory_id, lead, text, starts and ends
// include learning/mentioned/chosen
WITH e, COUNT { (e)<-[:HAS_MENTION]-() } AS degree
ORDER BY degree DESC, e.uuid LIMIT $limit
// include learning/mentioned/described
RETURN e.uuid AS entity_id, CASE WHEN e:NamedEntity THEN e.kind ELSE 'name' END AS kind,
       CASE WHEN e:NamedEntity THEN null ELSE toStringOrNull(e.name) END AS name,
       coalesce(CASE WHEN e:NamedEntity THEN e.key END, toStringOrNull(e.name)) AS key,
       memories, mentions
ORDER BY memories DESC, key, entity_id
