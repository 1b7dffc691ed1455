// Delete the oldest lessons that a group keeps beyond a number.
//
// access  write
// param   group_id : STRING — the tenant
// param   most     : INTEGER
MATCH (:Control {key: 'feedback|' + $group_id})-[:HAS_LESSON]->(l:Lesson)
WITH l ORDER BY l.at DESC, l.question SKIP $most
DETACH DELETE l
