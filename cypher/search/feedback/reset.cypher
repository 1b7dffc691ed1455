// Delete the feedback, the lessons and the learned weights of a group.
//
// access  write
// param   group_id : STRING — the tenant
// returns forgotten : INTEGER
CALL () {
  MATCH (:Control {key: 'feedback|' + $group_id})-[:HAS_LESSON]->(l:Lesson)
  RETURN l
UNION ALL
  MATCH (s:Session)-[:HAS_LESSON]->(l:Lesson)
  WHERE s.session_id STARTS WITH $group_id + '|'
  RETURN l
}
WITH collect(l) AS lessons
OPTIONAL MATCH (c:Control)
WHERE c.key IN ['feedback|' + $group_id, 'weights|' + $group_id]
WITH lessons, collect(c) AS controls
FOREACH (n IN lessons + controls | DETACH DELETE n)
RETURN size(lessons) + size(controls) AS forgotten
