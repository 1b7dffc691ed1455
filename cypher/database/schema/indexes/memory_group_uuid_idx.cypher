// Find the memories of a group in the order of their ids, as batches read them.
//
// access  schema
CREATE INDEX memory_group_uuid_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.uuid)
