// Count the nodes of memories that no longer exist, by group and label.
//
// access  read
// returns group_id : STRING
// returns problem  : STRING
// returns count    : INTEGER
// returns example  : STRING — id of one of them
// include fragments/memory/orphans
WITH n, head([label IN labels(n)
  WHERE label IN ['MemoryVersion', 'WordVectors', 'Passage', 'Proposal', 'EntityBefore',
    'NamedEntity', 'Lesson']]) AS label
RETURN coalesce(n.group_id, '') AS group_id,
       'a node ' + label + ' belongs to no memory' AS problem, count(*) AS count,
       min(coalesce(n.uuid, elementId(n))) AS example
ORDER BY group_id, problem
