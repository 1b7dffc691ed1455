// Delete tombstones and keys that an interrupted restore has loaded beside those it set aside.
//
// access  write
MATCH (kept:KeptTombstone)
OPTIONAL MATCH (twin:Tombstone {key: kept.key})
OPTIONAL MATCH (c:Control {key: kept.key})
WHERE kept.secret IS NOT NULL
DELETE twin, c
