// Let the group keep the lessons of session `s` with a use; delete the others.
//
// The session is about to be deleted.
//
// access  fragment
CALL (s) {
  MATCH (s)-[of:HAS_LESSON]->(l:Lesson)
  DELETE of
  WITH s, l, size(l.useful_ids) > 0 AS keeps
  FOREACH (_ IN CASE WHEN keeps THEN [1] ELSE [] END |
    MERGE (c:Control {key: 'feedback|' + s.group_id})
    ON CREATE SET c.lean = 0.0, c.useful = 0, c.useless = 0
    MERGE (c)-[:HAS_LESSON]->(l)
  )
  FOREACH (_ IN CASE WHEN keeps THEN [] ELSE [1] END | DELETE l)
}
