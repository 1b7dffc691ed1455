// Bind in `n` the nodes of memories that no longer exist, left by a concurrent deletion.
//
// The nodes of a purged memory stay, for undo.
//
// access  fragment
CALL () {
  MATCH (n:MemoryVersion|WordVectors|Passage|Proposal)
  WHERE NOT EXISTS { (n)<-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]-() }
  RETURN n
UNION ALL
  MATCH (n:Lesson)
  WHERE NOT EXISTS { (n)<-[:HAS_LESSON]-() }
  RETURN n
UNION ALL
  MATCH (n:NamedEntity)
  WHERE NOT EXISTS { (n)<-[:HAS_MENTION|HAD_MENTION]-() }
  RETURN n
UNION ALL
  MATCH (n:EntityBefore)
  WHERE NOT EXISTS { (:Entity {uuid: n.uuid}) } AND NOT EXISTS { (:PurgedMemory {uuid: n.uuid}) }
  RETURN n
}
