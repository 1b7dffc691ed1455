// List the current relations of a memory, the strongest first.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   limit     : INTEGER
// returns from_id       : STRING
// returns to_id         : STRING
// returns relation_type : STRING
// returns strength      : FLOAT — learned, or else given
// returns fact          : STRING
// returns metadata      : STRING
// returns created_at    : ZONED DATETIME
// returns valid_at      : ZONED DATETIME
// returns invalid_at    : ZONED DATETIME
// returns learned       : MAP? — given_strength, uses and last_used_at; null if nothing was learned
// returns origin        : MAP? — way_in, caller, authority and origin_id
MATCH (asked:Memory {uuid: $memory_id, group_id: $group_id})-[r:RELATES_TO]-(other:Memory)
WHERE coalesce(other.group_id = $group_id, false)
AND all(m IN [asked, other] WHERE
// include fragments/time/memory_there
)
AND
// include fragments/time/relation_holds
RETURN startNode(r).uuid AS from_id, endNode(r).uuid AS to_id,
       coalesce(r.name, 'relates_to') AS relation_type,
       // include fragments/relation/strength
       AS strength,
       coalesce(r.fact, startNode(r).name + ' ' + coalesce(r.name, 'relates_to') + ' '
         + endNode(r).name, '') AS fact,
       coalesce(r.metadata_json, '{}') AS metadata,
       coalesce(r.created_at, r.valid_at, asked.created_at) AS created_at,
       r.valid_at AS valid_at, r.invalid_at AS invalid_at,
       CASE WHEN toFloatOrNull(r.learned_strength) IS NOT NULL THEN {
         given_strength: coalesce(toFloatOrNull(r.strength), 0.5),
         uses: coalesce(toIntegerOrNull(r.use_count), 0), last_used_at: r.last_used_at
       } END AS learned,
       head([stored IN [r] |
         // include fragments/origin/stored
       ]) AS origin
ORDER BY strength DESC, from_id, to_id, relation_type
LIMIT $limit
