// List the memories of a group that have a brief, or that used answers quoted often.
//
// An answer counts if its passage was used after it had been delivered. Answers from before the
// present text do not count.
//
// access  read
// param   group_id : STRING — the tenant
// param   least    : INTEGER — used answers from which a memory counts
// returns memory_id    : STRING
// returns content_hash : STRING
// returns content      : STRING | LIST<STRING> — plain, or compressed; empty without answers
// returns questions    : LIST<STRING> — of the answers
// returns passages     : LIST<STRING> — start and end of the passage of each, such as 0-812
// returns stored       : STRING — the present brief as JSON; empty for none
CALL () {
  // include fragments/lesson/useful
  WITH l WHERE l IS NOT NULL
  UNWIND range(0, size(l.memory_ids) - 1) AS i
  WITH l, l.memory_ids[i] AS id, coalesce(l.passages, [])[i] AS passage
  WHERE id IN l.useful_ids AND passage > ''
  MATCH (m:Memory {uuid: id, group_id: $group_id})
  WHERE NOT EXISTS {
    (m)-[:HAS_VERSION]->(v:MemoryVersion) WHERE v.expired_at >= datetime(l.at)
  }
  WITH m, collect(l.question) AS questions, collect(passage) AS passages
  WHERE size(passages) >= $least
  RETURN m, questions, passages
UNION ALL
  MATCH (m:Memory {group_id: $group_id})
  WHERE m.brief_json IS NOT NULL
  RETURN m, [] AS questions, [] AS passages
}
WITH m, questions, passages ORDER BY size(passages) DESC
WITH m, head(collect(questions)) AS questions, head(collect(passages)) AS passages
WHERE
  // include fragments/maintenance/in_canary
RETURN m.uuid AS memory_id, m.content_hash AS content_hash,
  CASE WHEN size(passages) = 0 THEN '' ELSE
    // include fragments/memory/content
  END AS content, questions, passages, coalesce(toStringOrNull(m.brief_json), '') AS stored
ORDER BY memory_id
