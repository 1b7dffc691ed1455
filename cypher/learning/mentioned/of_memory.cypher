// List the entities that a memory mentions, with its places only.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING? — name of an entity of Graphiti
// returns key       : STRING — the normalised form, or the name
// returns memories  : INTEGER — memories that mention it
// returns mentions  : LIST<MAP> — memory_id, lead, text, starts and ends
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})-[r:HAS_MENTION]->(e)
WITH e,
     COUNT { (e)<-[:HAS_MENTION]-(other:Memory) WHERE other.soft_deleted_at IS NULL } AS memories,
     [{memory_id: m.uuid, lead: left(coalesce(toStringOrNull(m.name), ''), 80), text: r.text,
       starts: r.starts, ends: r.ends}] AS mentions
RETURN e.uuid AS entity_id, CASE WHEN e:NamedEntity THEN e.kind ELSE 'name' END AS kind,
       CASE WHEN e:NamedEntity THEN null ELSE toStringOrNull(e.name) END AS name,
       coalesce(CASE WHEN e:NamedEntity THEN e.key END, toStringOrNull(e.name)) AS key,
       memories, mentions
ORDER BY memories DESC, key, entity_id
