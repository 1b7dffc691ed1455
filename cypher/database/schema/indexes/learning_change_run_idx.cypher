// Find what a maintenance run learned.
//
// access  schema
CREATE INDEX learning_change_run_idx IF NOT EXISTS
FOR (n:LearningChange)
ON (n.run_id)
