// Find tombstones by the hashes of values that they keep.
//
// An index of another kind does not hold the items of a list. Here each item is a word.
//
// access  schema
CREATE FULLTEXT INDEX tombstone_mark_idx IF NOT EXISTS
FOR (n:Tombstone)
ON EACH [n.slots]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
