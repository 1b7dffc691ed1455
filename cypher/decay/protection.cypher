// Bind `protection`, the reason why memory `m` does not fade: until, tag, permanent, or null.
//
// `lasting` is the reason that remains after the date has passed. The tag `preserved` ends with its
// date.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// source  an explicit date wins over a tag, a tag over importance and stability
// include decay/fields
WITH *, CASE
  WHEN any(tag IN fields.tags WHERE toLower(toStringOrNull(tag)) IN $decay.protected_tags
       AND NOT (toLower(toStringOrNull(tag)) = 'preserved' AND fields.preserve_until IS NOT NULL))
    THEN 'tag'
  WHEN fields.importance >= $decay.permanent_importance
    AND fields.stability >= $decay.permanent_stability THEN 'permanent'
END AS lasting
WITH *, CASE WHEN fields.preserve_until >= $now THEN 'until' ELSE lasting END AS protection
