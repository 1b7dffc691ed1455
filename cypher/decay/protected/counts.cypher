// Bind the numbers of memories `m` by the reason of their protection.
//
// access  fragment
// include decay/protection
WITH
  count(CASE protection WHEN 'tag' THEN 1 END) AS by_tag,
  count(CASE protection WHEN 'permanent' THEN 1 END) AS by_importance,
  count(CASE protection WHEN 'until' THEN 1 END) AS until_date,
  count(CASE WHEN protection IS NULL AND m.is_protected THEN 1 END) AS ended
