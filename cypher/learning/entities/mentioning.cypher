// List the memories of a group that mention entities of ours which Graphiti has, too.
//
// access  read
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states of the memories that count
// param   entity_ids : LIST<STRING>
// returns memory_id : STRING
UNWIND $entity_ids AS entity_id
MATCH (e:NamedEntity {uuid: entity_id, group_id: $group_id})<-[:HAS_MENTION]-(m:Memory)
WHERE m.lifecycle_state IN $states AND m.content_gz IS NULL
  AND
  // include fragments/maintenance/in_canary
RETURN DISTINCT m.uuid AS memory_id
ORDER BY memory_id
