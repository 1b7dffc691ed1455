// Bind in `n` what belongs to a memory that is gone, as another writer's deletion leaves it.
//
// What a purged memory has stays, for an undo.
//
// access  fragment
CALL () {
  MATCH (n:MemoryVersion|WordVectors)
  WHERE NOT EXISTS { (n)<-[:HAS_VERSION|HAS_WORDS]-() }
  RETURN n
UNION ALL
  MATCH (n:EntityBefore)
  WHERE NOT EXISTS { (:Entity {uuid: n.uuid}) } AND NOT EXISTS { (:PurgedMemory {uuid: n.uuid}) }
  RETURN n
}
