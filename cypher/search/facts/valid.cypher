// Check that fact `r` matches the filters on its name, its ends and the time at which it holds.
//
// An expression; null allows all. With `as_of` the fact must hold at that instant.
//
// access  fragment
// param   names          : LIST<STRING>? — relation names
// param   entity_id      : STRING? — id of one of its ends
// param   as_of          : STRING? — ISO 8601, UTC
// param   valid_after    : STRING? — start, at the earliest
// param   valid_before   : STRING? — start, at the latest
// param   invalid_after  : STRING? — end, at the earliest
// param   invalid_before : STRING? — end, at the latest
    ($names IS NULL OR r.name IN $names)
AND ($entity_id IS NULL OR $entity_id IN [startNode(r).uuid, endNode(r).uuid])
AND ($valid_after IS NULL OR r.valid_at >= datetime($valid_after))
AND ($valid_before IS NULL OR r.valid_at <= datetime($valid_before))
AND ($invalid_after IS NULL OR r.invalid_at >= datetime($invalid_after))
AND ($invalid_before IS NULL OR r.invalid_at <= datetime($invalid_before))
AND ($as_of IS NULL OR (coalesce(r.valid_at, r.created_at) <= datetime($as_of)
     AND (r.invalid_at IS NULL OR r.invalid_at > datetime($as_of))))
AND startNode(r).soft_deleted_at IS NULL AND endNode(r).soft_deleted_at IS NULL
AND startNode(r):Entity AND endNode(r):Entity
