// Count what a migration down deletes and no later upgrade brings back, by migration and kind.
//
// Entities, passages and open proposals are left out: runs and servers find them again. So are
// the records of stages whose results the migration down deletes with them.
//
// access  read
// param   versions : LIST<INTEGER> — the migrations to undo
// returns version : INTEGER
// returns kind    : STRING
// returns count   : INTEGER
CALL () {
  MATCH (n:PendingWrite)
  RETURN 18 AS version, 'writes that wait for a review' AS kind, count(n) AS count
UNION ALL
  MATCH (n:Tombstone)
  RETURN 17 AS version, 'tombstones' AS kind, count(n) AS count
UNION ALL
  MATCH (n:Proposal)
  WHERE n.status <> 'open' AND n.kind = 'same_as'
  RETURN 16 AS version, 'decisions on aliases' AS kind, count(n) AS count
UNION ALL
  MATCH (n:Proposal)
  WHERE n.status <> 'open' AND coalesce(n.kind <> 'same_as', true)
  RETURN 15 AS version, 'decisions on proposals' AS kind, count(n) AS count
UNION ALL
  MATCH (n:LearningChange)
  WHERE NOT n.stage IN ['entities', 'proposals', 'centrality']
  RETURN 15 AS version, 'runs whose changes can be undone' AS kind,
         count(DISTINCT n.run_id) AS count
}
WITH version, kind, count WHERE count > 0 AND version IN $versions
RETURN version, kind, count
ORDER BY version DESC, kind
