// Find the memories of a project of a group.
//
// access  schema
CREATE INDEX memory_group_project_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.project_id)
