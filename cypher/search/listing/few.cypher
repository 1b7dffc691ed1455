// List memories of a group that match a filter of few memories, in one of the two orders.
//
// An index finds them by the filter. In the order of the other lists they are far apart.
//
// access  read
// param   by_importance    : BOOLEAN — whether the most important are first, else the newest
// param   after_importance : FLOAT — that of the last memory before the page; 0 for the newest
// param   after_created_at : STRING — `created_at` of the same memory, ISO 8601, UTC
// param   after_id         : STRING — id of the same memory
// param   limit            : INTEGER
// returns memory   : MAP? — null if another client has damaged it
// returns position : MAP — the values of the order, as precise as they are stored
// variant sound
WITH true AS needed
// include fragments/memory/narrowed
// include fragments/memory/filter
WITH m, CASE WHEN $by_importance THEN m.importance ELSE 0.0 END AS rank
WHERE m.created_at IS :: ZONED DATETIME NOT NULL AND (
  rank < $after_importance
  OR rank = $after_importance AND (
    m.created_at < datetime($after_created_at)
    OR m.created_at = datetime($after_created_at) AND m.uuid > $after_id))
WITH m, rank ORDER BY rank DESC, m.created_at DESC, m.uuid LIMIT $limit
// include fragments/memory/listed
RETURN memory, {
  importance: rank, created_at: toString(m.created_at), id: toStringOrNull(m.uuid)
} AS position
ORDER BY rank DESC, m.created_at DESC, m.uuid
