// Turn the facts between memories of a group into relations; they keep their names.
//
// access  batch
// param   group_id  : STRING — the tenant
// param   group_key : STRING — digits of the group in the full-text index
// param   owned     : LIST<STRING> — names of our properties
// param   origin    : MAP — way_in, caller, authority, above and origin_id
// param   now       : STRING — ISO 8601, UTC
// param   batch     : INTEGER — facts per transaction
// returns adopted : INTEGER
MATCH (a:Memory {group_id: $group_id})-[r:RELATES_TO]->(b:Memory)
WHERE coalesce(b.group_id = $group_id, false)
  AND r.adopted_at IS NULL AND r.metadata_json IS NULL AND r.group_id = $group_id
CALL (r) {
  WITH r, [key IN keys(r) WHERE key IN $owned] AS ours
  FOREACH (key IN ours | SET r['was_' + key] = r[key] SET r[key] = null)
  SET r.adopted_at = $now, r.group_key = $group_key, r.strength = 0.5, r.metadata_json = '{}',
      r.origin_authority = $origin.authority, r.origin_way_in = $origin.way_in,
      r.origin_caller = $origin.caller, r.origin_id = $origin.origin_id
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS adopted
