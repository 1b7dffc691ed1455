// Find what was learned about a group.
//
// access  schema
CREATE INDEX learning_change_group_idx IF NOT EXISTS
FOR (n:LearningChange)
ON (n.group_id)
