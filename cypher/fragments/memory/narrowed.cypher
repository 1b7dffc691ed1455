// Find the memories `m` of a group in the allowed states, by the index of one filter.
//
// Nothing is read unless `needed` is true. The other filters follow.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   types      : LIST<STRING>? — memory types
// param   date_from  : STRING? — earliest creation, ISO 8601, UTC
// param   date_to    : STRING? — latest creation, ISO 8601, UTC
// param   project_id : STRING?
// param   tag_query  : STRING? — a Lucene query for all memories that may have one of the tags
// param   narrowest  : STRING — the filter: tags, project, time, types or states
WITH CASE WHEN needed THEN $narrowest END AS narrowest
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
