// Count the memories that do not fade, by the reason.
//
// access  read
// param   groups : LIST<STRING>? — null: all
// returns by_tag        : INTEGER
// returns by_importance : INTEGER — by importance and stability
// returns until_date    : INTEGER
// returns ended         : INTEGER — protected when last scheduled, but by no present rule
MATCH (m:Memory)
WHERE m.soft_deleted_at IS NULL AND ($groups IS NULL OR m.group_id IN $groups)
  AND m.tags IS :: LIST<STRING>  // `verify` reports others
// include decay/protected/counts
RETURN by_tag, by_importance, until_date, ended
