// Find copies of a memory in all groups, when it is erased with them.
//
// access  schema
CREATE INDEX memory_copied_from_idx IF NOT EXISTS
FOR (m:Memory) ON (m.copied_from)
