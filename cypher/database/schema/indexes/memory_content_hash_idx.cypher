// Find memories by content hash.
//
// access  schema
CREATE INDEX memory_content_hash_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.content_hash)
