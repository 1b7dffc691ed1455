// Keep answers in sessions as lessons, the latest of each session.
//
// An answer of a session that does not exist is dropped.
//
// access  write
// param   lessons : LIST<MAP> — group_id, session_id, now, question, memory_ids, passages,
//                   measures, values, scales, quotes, instants, conversations and learned of each
//                   answer
// param   most    : INTEGER — answers without a use that a session keeps
UNWIND $lessons AS row
MATCH (s:Session {session_id: row.group_id + '|' + row.session_id})
CREATE (s)-[:HAS_LESSON]->(:Lesson {
  group_id: row.group_id, at: row.now, question: row.question, memory_ids: row.memory_ids,
  passages: row.passages, measures: row.measures, values: row.values, scales: row.scales,
  quotes: row.quotes, instants: row.instants, conversations: row.conversations,
  learned: row.learned, useful_ids: [], useless_ids: []
})
WITH DISTINCT s
CALL (s) {
  MATCH (s)-[:HAS_LESSON]->(l:Lesson)
  WHERE size(l.useful_ids) = 0
  WITH l ORDER BY l.at DESC SKIP $most
  DETACH DELETE l
}
