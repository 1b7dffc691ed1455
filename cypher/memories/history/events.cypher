// List the events of a memory, the latest first.
//
// Relations to memories deleted since are left out.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   limit     : INTEGER
// returns at     : ZONED DATETIME
// returns kind   : STRING
// returns detail : STRING?
// returns by     : STRING? — way in of the first text; entries of the kind `changed` have another
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
CALL (m) {
  OPTIONAL MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  WITH coalesce(version, m) AS text
  ORDER BY version.created_at, version.expired_at LIMIT 1
  RETURN text.origin_way_in + CASE coalesce(text.origin_caller, 'local')
    WHEN 'local' THEN '' ELSE ' by ' + text.origin_caller END AS written_by
}
CALL (m) {
  RETURN m.created_at AS at, 'created' AS kind, null AS detail
UNION ALL
  UNWIND coalesce(m.state_history, []) AS entry
  WITH entry WHERE entry STARTS WITH '{"at": "'
  RETURN datetime(substring(entry, 8, 24)) AS at, 'state' AS kind, entry AS detail
UNION ALL
  WITH m WHERE size(coalesce(m.state_history, [])) = 0 AND m.state_reason <> 'created'
  RETURN datetime(m.state_changed_at) AS at, 'state' AS kind,
         m.lifecycle_state + ': ' + m.state_reason AS detail
UNION ALL
  UNWIND coalesce(m.edit_history, []) AS entry
  RETURN datetime(substring(entry, 8, 24)) AS at, 'changed' AS kind, entry AS detail
UNION ALL
  WITH m WHERE m.obsolete_at IS NOT NULL
  RETURN datetime(m.obsolete_at) AS at, 'obsolete' AS kind, m.obsolete_reason AS detail
UNION ALL
  MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  RETURN version.expired_at AS at, 'rewritten' AS kind, version.content AS detail
UNION ALL
  WITH m WHERE m.invalid_at IS NOT NULL
  RETURN datetime(m.invalid_at) AS at, 'ended' AS kind, null AS detail
UNION ALL
  MATCH (m)-[r:RELATES_TO]-(other:Memory)
  WHERE coalesce(other.group_id = $group_id, false) AND other.soft_deleted_at IS NULL
    AND r.created_at IS NOT NULL
  RETURN r.created_at AS at, 'related' AS kind, r.fact AS detail
UNION ALL
  MATCH (m)-[r:RELATES_TO]-(other:Memory)
  WHERE coalesce(other.group_id = $group_id, false) AND other.soft_deleted_at IS NULL
    AND r.expired_at IS NOT NULL
  RETURN r.expired_at AS at, 'unrelated' AS kind, r.fact AS detail
UNION ALL
  MATCH (change:LearningChange {group_id: $group_id})
  WHERE change.stage = 'strengths'
    AND (m.uuid IN change.memory_ids OR m.uuid IN change.to_ids)
  UNWIND range(0, size(change.relation_ids) - 1) AS i
  WITH m, change, i WHERE m.uuid IN [change.memory_ids[i], change.to_ids[i]]
  MATCH (a:Memory {uuid: change.memory_ids[i]})
    -[r:RELATES_TO {uuid: change.relation_ids[i]}]->(b:Memory {uuid: change.to_ids[i]})
  WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
  WITH change, r, split(change.before[i], '|') AS was, split(change.after[i], '|') AS becomes,
       toString(coalesce(toFloatOrNull(r.strength), 0.5)) AS given
  RETURN datetime(change.at) AS at, 'strength' AS kind, coalesce(r.fact, '') + ': '
    + CASE was[0] WHEN '' THEN given ELSE was[0] END + ' → '
    + CASE becomes[0] WHEN '' THEN given ELSE becomes[0] + ', used together in ' + becomes[1]
      + CASE becomes[1] WHEN '1' THEN ' session' ELSE ' sessions' END END
    + ' (run ' + change.run_id + ')' AS detail
}
RETURN at, kind, detail, CASE kind WHEN 'created' THEN written_by END AS by
ORDER BY at DESC, kind = 'created', kind DESC, detail DESC
LIMIT $limit
