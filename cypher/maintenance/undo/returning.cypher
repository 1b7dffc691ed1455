// Return the contents of memories that a run deleted, if their groups have tombstones.
//
// access  read
// param   run_id     : STRING
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns group_id  : STRING
// returns content   : STRING | LIST<STRING> — plain, or a list of one compressed text
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.lifecycle_state = 'SOFT_DELETED'
  AND EXISTS { MATCH (:Tombstone {group_id: m.group_id}) }
  AND EXISTS {
    MATCH (change:MaintenanceChange {run_id: $run_id, memory_id: m.uuid})
    WHERE change.before_lifecycle_state <> 'SOFT_DELETED'
  }
RETURN m.uuid AS memory_id, m.group_id AS group_id,
  // include fragments/memory/content
  AS content
