// Bind `fields`, the properties of memory `m` by which the rules decide.
//
// A map projection reads all of them in one pass over the node, which takes a third of the time of
// as many reads of one property. It reads them one by one if the planner keeps one of them for
// another use. It keeps none of a variable of a list.
//
// access  fragment
WITH *, head([each IN [m] | each {
  .created_at, .decay_policy, .decay_score, .group_id, .held_until, .importance, .is_protected,
  .last_accessed_at, .lifecycle_state, .memory_type, .next_due_at, .obsolete_at, .preserve_until,
  .soft_deleted_at, .stability, .tags, .unprotected_at, .updated_at
}]) AS fields
