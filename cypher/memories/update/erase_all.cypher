// Erase every memory of a group permanently, with all data about it.
//
// That is versions, proposals, mentioned entities, purged memories, sessions, queued episodes,
// waiting writes, feedback, lessons, learned weights and settings of the group.
// It includes Graphiti's episodes, unless the group has entities that are not memories.
//
// access  batch
// param   group_id : STRING — the tenant
// returns deleted : INTEGER — memories erased, without purged ones
CALL () {
  MATCH (n:Memory {group_id: $group_id})
  RETURN n, 1 AS counts
UNION ALL
  MATCH (n:PurgedMemory {group_id: $group_id})
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:EntityBefore {group_id: $group_id})
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:LearningChange {group_id: $group_id})
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:NamedEntity {group_id: $group_id})
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Proposal {group_id: $group_id})
  WHERE n.status > ''  // all have one; the index is of both
    AND NOT EXISTS { (n)<-[:HAS_PROPOSAL]-(e) WHERE e:Memory|PurgedMemory|NamedEntity }
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:EpisodeJob {group_id: $group_id})
  WHERE n.position > 0  // all have one; the index is of both
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:EpisodeQueue|PendingWrite {group_id: $group_id})
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Conversation)
  WHERE n.conversation_key STARTS WITH $group_id + '|'
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Session)
  WHERE n.session_id STARTS WITH $group_id + '|'
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Control)
  WHERE n.key IN ['feedback|' + $group_id, 'weights|' + $group_id, 'settings|' + $group_id]
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Episodic {group_id: $group_id})
  WHERE NOT EXISTS { MATCH (e:Entity {group_id: $group_id}) WHERE NOT e:Memory }
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Community {group_id: $group_id})
  WHERE NOT EXISTS { MATCH (e:Entity {group_id: $group_id}) WHERE NOT e:Memory }
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Saga {group_id: $group_id})
  WHERE NOT EXISTS { MATCH (e:Entity {group_id: $group_id}) WHERE NOT e:Memory }
  RETURN n, 0 AS counts
}
CALL (n) {
  OPTIONAL MATCH (n)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL|HAS_LESSON]->
    (part:MemoryVersion|WordVectors|Passage|Proposal|Lesson)
  OPTIONAL MATCH (n)<-[:HAS_PROPOSAL]-()-[one:SAME_AS {uuid: n.relation_id}]->()
  DETACH DELETE one, part, n
} IN TRANSACTIONS OF 500 ROWS
RETURN sum(counts) AS deleted
