// Find the memories `m` of a group in the allowed states, by the index of the narrowest filter.
//
// Nothing is read unless `needed` is true. The other filters follow. Tags are taken for narrower
// than a project, a project for narrower than a time, and a time for narrower than types.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   types      : LIST<STRING>? — memory types
// param   date_from  : STRING? — earliest creation, ISO 8601, UTC
// param   date_to    : STRING? — latest creation, ISO 8601, UTC
// param   project_id : STRING?
// param   tag_query  : STRING? — a Lucene query for all memories that may have one of the tags
WITH CASE
  WHEN NOT needed THEN 'nothing'
  WHEN $tag_query IS NOT NULL THEN 'tags'
  WHEN $project_id IS NOT NULL THEN 'project'
  WHEN coalesce($date_from, $date_to) IS NOT NULL THEN 'time'
  WHEN $types IS NOT NULL THEN 'types'
  ELSE 'states'
END AS narrowest
CALL (narrowest) {
  // UNWIND, because the planner may move a condition of WHERE behind the MATCH.
  UNWIND CASE narrowest WHEN 'tags' THEN [1] ELSE [] END AS one
  CALL db.index.fulltext.queryNodes('memory_text_idx', $tag_query) YIELD node
  WITH node AS m WHERE m.group_id = $group_id
  RETURN m
UNION ALL
  UNWIND CASE narrowest WHEN 'project' THEN [1] ELSE [] END AS one
  MATCH (m:Memory {group_id: $group_id, project_id: $project_id})
  USING INDEX m:Memory(group_id, project_id)
  RETURN m
UNION ALL
  UNWIND CASE narrowest WHEN 'time' THEN [1] ELSE [] END AS one
  MATCH (m:Memory {group_id: $group_id})
  USING INDEX m:Memory(group_id, created_at)
  WHERE datetime(coalesce($date_from, '0000-01-01T00:00:00Z')) <= m.created_at
    AND m.created_at <= datetime(coalesce($date_to, '9999-12-31T23:59:59.999999999Z'))
  RETURN m
UNION ALL
  UNWIND CASE narrowest WHEN 'types' THEN [1] ELSE [] END AS one
  MATCH (m:Memory {group_id: $group_id})
  USING INDEX m:Memory(group_id, memory_type)
  WHERE m.memory_type IN $types
  RETURN m
UNION ALL
  UNWIND CASE narrowest WHEN 'states' THEN [1] ELSE [] END AS one
  MATCH (m:Memory {group_id: $group_id})
  USING INDEX m:Memory(group_id, lifecycle_state)
  WHERE m.lifecycle_state IN $states
  RETURN m
}
WITH m WHERE m.lifecycle_state IN $states
WITH m
