// Return the reason why an action leaves memory `m` of a cluster as it is, or null.
//
// An expression.
//
// access  fragment
// param   now      : STRING — ISO 8601, UTC
// param   action   : STRING — preserve, tag or obsolete
// param   tag      : STRING — the tag to add
// param   max_tags : INTEGER — tags of a memory at most
CASE
  WHEN NOT coalesce(
    // include fragments/memory/counts
  , false) THEN 'it is obsolete, expired or deleted, or has ended'
  WHEN $action = 'preserve' AND m.preserve_until IS NULL AND any(tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) = 'preserved') THEN 'it is preserved already'
  WHEN $action = 'obsolete' AND (m.preserve_until >= $now
      OR m.preserve_until IS NULL AND any(tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) = 'preserved')) THEN 'it is preserved; release it first'
  WHEN $action = 'tag' AND any(tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) = toLower($tag)) THEN 'it has the tag already'
  WHEN $action = 'tag' AND size(coalesce(m.tags, [])) >= $max_tags
    THEN 'it has ' + toString($max_tags) + ' tags already'
END
