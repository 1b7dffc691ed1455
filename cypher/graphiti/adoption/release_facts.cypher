// Restore the facts of a group as they were before adoption.
//
// access  batch
// param   group_id : STRING — the tenant
// param   owned    : LIST<STRING> — names of our properties
// param   batch    : INTEGER — facts per transaction
// returns released : INTEGER
MATCH (a:Memory {group_id: $group_id})-[r:RELATES_TO]->(:Memory)
WHERE r.adopted_at IS NOT NULL AND a.adopted_at IS NOT NULL
CALL (r) {
  FOREACH (_ IN CASE WHEN r.had_vector THEN [1] ELSE [] END |
    SET r.fact_embedding = r.was_fact_embedding)
  FOREACH (key IN $owned | SET r[key] = r['was_' + key] SET r['was_' + key] = null)
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS released
