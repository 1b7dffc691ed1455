// Leave the tombstones of memory `m`; of two for one statement, the first stays.
//
// An erased statement counts more than a rejected one. The revision is that of the latest act.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   tombstones : LIST<MAP> — of the memory memory_id: uuid, key, bucket, sketch, slots,
//                      reason, note, created_at, by
CALL (m) {
  UNWIND [each IN $tombstones WHERE each.memory_id = m.uuid] AS row
  MERGE (t:Tombstone {key: row.key})
  ON CREATE SET
    t.uuid = row.uuid, t.group_id = $group_id, t.bucket = row.bucket, t.sketch = row.sketch,
    t.reason = row.reason, t.note = row.note, t.created_at = row.created_at, t.by = row.by
  SET
    t.slots = row.slots, t.revision = row.uuid,
    t.reason = CASE row.reason WHEN 'erased' THEN 'erased' ELSE t.reason END,
    t.memory_id = CASE WHEN 'erased' IN [row.reason, t.reason] THEN null ELSE m.uuid END
}
