// Bind in `l` the lessons of a group for which some memories were useful; null if there are none.
//
// access  fragment
// param   group_id : STRING — the tenant
OPTIONAL CALL () {
  MATCH (:Control {key: 'feedback|' + $group_id})-[:HAS_LESSON]->(l:Lesson)
  WHERE size(l.useful_ids) > 0
  RETURN l
UNION ALL
  MATCH (s:Session)-[:HAS_LESSON]->(l:Lesson)
  WHERE s.session_id STARTS WITH $group_id + '|' AND size(l.useful_ids) > 0
  RETURN l
}
