// Find purged memories by their id.
//
// access  schema
CREATE INDEX purged_memory_uuid_idx IF NOT EXISTS
FOR (n:PurgedMemory)
ON (n.uuid)
