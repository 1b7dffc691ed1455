// Bring back the tombstones that a restore has set aside, and return their groups.
//
// access  write
// returns group_id : STRING
MATCH (kept:KeptTombstone)
WHERE kept.secret IS NULL
WITH kept, kept.group_id AS group_id
OPTIONAL MATCH (twin:Tombstone {key: kept.key})
FOREACH (_ IN CASE WHEN twin IS NULL THEN [] ELSE [1] END |
  SET
    twin.memory_id = CASE kept.reason WHEN 'erased' THEN null ELSE twin.memory_id END,
    twin.reason = CASE kept.reason WHEN 'erased' THEN 'erased' ELSE twin.reason END,
    twin.slots = coalesce(kept.slots, twin.slots)
  DELETE kept
)
FOREACH (_ IN CASE WHEN twin IS NULL THEN [1] ELSE [] END |
  SET kept:Tombstone
  REMOVE kept:KeptTombstone
)
RETURN DISTINCT group_id
ORDER BY group_id
