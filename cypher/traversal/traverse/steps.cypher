// List the steps that a walk can take from each given memory, in walking order.
//
// The steps of a memory: the strongest first, then the oldest, then by the id of the memory
// reached. A parent link counts as a relation of strength 1, a shared entity as one of strength 1
// divided by the number of its mentions. Entities that are one count as one.
//
// access  read
// param   group_id       : STRING — the tenant
// param   from_ids       : LIST<STRING> — in the order of the answer
// param   relation_types : LIST<STRING>? — restricts relations, not parent links
// param   outgoing       : BOOLEAN — walk from start to end, and from child to parent
// param   incoming       : BOOLEAN — walk the other way
// param   parent_links   : BOOLEAN
// param   through_entities : BOOLEAN — walk to memories that mention the same entity, too
// param   types          : LIST<STRING>? — memory types wanted
// param   tags           : LIST<STRING>? — any of these tags wanted, in lower case
// param   states         : LIST<STRING>? — states wanted
// param   seen           : LIST<STRING> — ids of the memories visited so far
// param   fan            : INTEGER — relations of one memory and kind to compare, at most
// param   per_memory     : INTEGER — steps from one memory, at most
// param   limit          : INTEGER — steps in all, at most
// returns from_id       : STRING
// returns to_id         : STRING
// returns relation_type : STRING — has_parent or parent_of for a parent link, by direction;
//         shares_entity for an entity
// returns strength      : FLOAT — 0..1
// returns forward       : BOOLEAN — false if walked from the relation's end to its start
// returns wanted        : BOOLEAN — true if the memory reached passes the filters
// returns via           : STRING? — the shared entity, as the memory reached spells it
UNWIND range(0, size($from_ids) - 1) AS position
MATCH (a:Memory {uuid: $from_ids[position], group_id: $group_id})
CALL (a) {
  CALL (a) {
    WITH a WHERE $outgoing
    MATCH (a)-[r:RELATES_TO WHERE $relation_types IS NULL OR r.name IN $relation_types]->(m:Memory)
    // include traversal/traverse/eligible
    RETURN r, m, coalesce(r.name, 'relates_to') AS name, true AS forward, null AS via,
           null AS shared
  UNION ALL
    WITH a WHERE $incoming
    MATCH (a)<-[r:RELATES_TO WHERE $relation_types IS NULL OR r.name IN $relation_types]-(m:Memory)
    // include traversal/traverse/eligible
    RETURN r, m, coalesce(r.name, 'relates_to') AS name, false AS forward, null AS via,
           null AS shared
  UNION ALL
    WITH a WHERE $outgoing AND $parent_links
    MATCH (a)-[r:HAS_PARENT]->(m:Memory)
    // include traversal/traverse/eligible
    RETURN r, m, 'has_parent' AS name, true AS forward, null AS via, null AS shared
  UNION ALL
    WITH a WHERE $incoming AND $parent_links
    MATCH (a)<-[r:HAS_PARENT]-(m:Memory)
    // include traversal/traverse/eligible
    RETURN r, m, 'parent_of' AS name, true AS forward, null AS via, null AS shared
  UNION ALL
    WITH a WHERE $through_entities
    MATCH (a)-[:HAS_MENTION]->(e)
    CALL (e) {
      MATCH (e)-[:SAME_AS*0..]-(x)
      WITH DISTINCT x ORDER BY x.uuid
      RETURN collect(x) AS one, sum(COUNT { (x)<-[:HAS_MENTION]-() }) AS uses
    }
    WITH DISTINCT one, uses ORDER BY uses, one[0].uuid
    UNWIND one AS x
    MATCH (x)<-[r:HAS_MENTION]-(m:Memory)
    WHERE NOT m.uuid IN $seen AND
    // include fragments/memory/in_group
    AND
    // include fragments/time/memory_holds
    WITH m, r, uses LIMIT $fan
    WITH m, r, uses ORDER BY uses, r.text
    WITH m, collect(r)[0] AS r, min(uses) AS uses
    RETURN r, m, 'shares_entity' AS name, true AS forward, r.text AS via, 1.0 / uses AS shared
  }
  RETURN m, m.uuid AS to_id, name, forward, via,
         CASE WHEN shared IS NOT NULL THEN shared WHEN r:HAS_PARENT THEN 1.0 ELSE
           // include fragments/relation/strength
         END AS strength,
         r.created_at AS since
  ORDER BY strength DESC, since, to_id, name, forward DESC
  LIMIT $per_memory
}
RETURN a.uuid AS from_id, to_id, name AS relation_type, strength, forward, via,
       ($types IS NULL OR m.memory_type IN $types)
   AND ($tags IS NULL OR any(tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) IN $tags))
   AND ($states IS NULL OR m.lifecycle_state IN $states) AS wanted
LIMIT $limit
