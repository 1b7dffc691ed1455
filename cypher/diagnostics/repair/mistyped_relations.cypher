// List the relations between memories of a group with a value of another type or beyond its range.
//
// access  read
// param   group_id : STRING — the tenant
// param   after    : LIST<STRING> — memory and relation of the last one of the page before
// param   limit    : INTEGER
// param   instants : LIST<STRING> — properties that hold dates and times
// returns relation_id : STRING — of Neo4j, as the other ids may be damaged
// returns memory_id   : STRING — where it starts
// returns values      : MAP<ANY> — its properties
MATCH (m:Memory {group_id: $group_id})-[r:RELATES_TO]->(other:Memory)
WHERE m.uuid > $after[0] OR m.uuid = $after[0] AND elementId(r) > $after[1]
WITH m, r, other
WHERE coalesce(other.group_id = $group_id, false) AND (
  r.strength IS NOT NULL AND NOT coalesce(0 <= r.strength <= 1, false)
  OR NOT coalesce(r.metadata_json STARTS WITH '{' AND r.metadata_json ENDS WITH '}',
                  r.metadata_json IS NULL)
  OR NOT r.fact IS :: STRING OR NOT r.name IS :: STRING
  OR NOT coalesce(0 <= r.learned_strength <= 1, r.learned_strength IS NULL)
  OR NOT r.use_count IS :: INTEGER OR NOT r.past_uses IS :: INTEGER
  OR NOT r.last_used_at IS :: STRING OR NOT r.past_used_at IS :: STRING
  OR any(name IN $instants WHERE NOT r[name] IS :: ZONED DATETIME))
WITH m, r ORDER BY m.uuid, elementId(r) LIMIT $limit
RETURN elementId(r) AS relation_id, m.uuid AS memory_id,
       r {.strength, .metadata_json, .fact, .name, .created_at, .valid_at, .invalid_at,
          .expired_at, .learned_strength, .use_count, .last_used_at, .past_uses,
          .past_used_at} AS values
ORDER BY memory_id, relation_id
