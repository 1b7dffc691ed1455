// Erase the records of actions on clusters that hold earlier values of memory `memory_id`.
//
// access  fragment
// param   group_id : STRING — the tenant
CALL (memory_id) {
  MATCH (change:LearningChange {group_id: $group_id})
  WHERE change.stage = 'act' AND memory_id IN change.memory_ids
  DELETE change
}
