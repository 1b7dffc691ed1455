// Count the relations from memories of a page that break a rule, by what is wrong.
//
// access  read
// param   group_id : STRING — the tenant
// param   types    : LIST<STRING> — the relation types there are
// returns problem : STRING
// returns count   : INTEGER
// returns example : STRING — id of the memory that one of them starts from
// include fragments/memory/page
MATCH (m)-[r:RELATES_TO]->(other:Memory)
UNWIND [
  CASE WHEN other.group_id <> $group_id THEN 'leads into another group' END,
  CASE WHEN r.adopted_at IS NULL AND NOT coalesce(r.name IN $types, false)
       THEN 'is of an unknown type' END,
  CASE WHEN r.edge_key <> m.uuid + '|' + r.name + '|' + other.uuid
         OR r.edge_key IS NULL AND r.expired_at IS NULL AND r.adopted_at IS NULL
       THEN 'can be made twice (edge_key)' END,
  CASE WHEN r.strength IS NULL THEN 'has no strength'
       WHEN NOT coalesce(0 <= r.strength <= 1, false) THEN 'has a strength beyond 0..1' END,
  CASE WHEN NOT coalesce(0 <= r.learned_strength <= 1, r.learned_strength IS NULL)
       THEN 'has a learned_strength beyond 0..1' END,
  CASE WHEN NOT coalesce(r.metadata_json STARTS WITH '{' AND r.metadata_json ENDS WITH '}',
                         r.metadata_json IS NULL)
       THEN 'has metadata that is not a JSON object' END,
  CASE WHEN NOT r.fact IS :: STRING THEN 'has a fact that is not text' END
] + [name IN ['created_at', 'valid_at', 'invalid_at', 'expired_at']
    WHERE NOT r[name] IS :: ZONED DATETIME | 'has a ' + name + ' that is not a date and time'
] + [name IN ['last_used_at', 'past_used_at']
    WHERE NOT r[name] IS :: STRING | 'has a ' + name + ' that is not text'
] + [name IN ['use_count', 'past_uses']
    WHERE NOT r[name] IS :: INTEGER | 'has a ' + name + ' that is not a whole number'
] AS problem
WITH m, problem WHERE problem IS NOT NULL
RETURN 'a relation ' + problem AS problem, count(*) AS count,
       min(coalesce(toStringOrNull(m.uuid), elementId(m))) AS example
ORDER BY problem
