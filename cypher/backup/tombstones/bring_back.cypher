// Bring back the tombstones that a restore has set aside, and return those that are news to it.
//
// They replace those of the backup. A tombstone without a revision is of an earlier version.
//
// access  write
// returns group_id      : STRING
// returns tombstone_ids : LIST<STRING> — left or changed after the backup
MATCH (kept:KeptTombstone)
WHERE kept.secret IS NULL
OPTIONAL MATCH (twin:Tombstone {key: kept.key})
WITH kept, twin, kept.group_id AS group_id, kept.uuid AS tombstone_id,
  twin.reason AS earlier, twin.slots AS slots,
  coalesce(
    kept.revision = twin.revision,
    coalesce(kept.revision, twin.revision) IS NULL
      AND kept.uuid = twin.uuid AND kept.memory_id = twin.memory_id,
    false
  ) AS same
DELETE twin
SET
  kept.memory_id = CASE earlier WHEN 'erased' THEN null ELSE kept.memory_id END,
  kept.reason = CASE earlier WHEN 'erased' THEN earlier ELSE kept.reason END,
  kept.slots = coalesce(kept.slots, slots),
  kept:Tombstone
REMOVE kept:KeptTombstone
WITH group_id, collect(CASE WHEN NOT same THEN tombstone_id END) AS tombstone_ids
WHERE size(tombstone_ids) > 0
RETURN group_id, tombstone_ids
ORDER BY group_id
