// Note on memory `m` whether it is protected. A noted protection that is gone has ended now.
//
// So the end of a protection without a date is an anchor: other protecting tags in the settings, or
// a tag that was removed. A date that has passed is an anchor itself, until a run removes it.
// Follows decay/protection.
//
// access  fragment
// param   now : STRING — ISO 8601, UTC
FOREACH (_ IN CASE
  WHEN (protection IS NOT NULL) = coalesce(m.is_protected, false)
    OR protection IS NULL AND m.preserve_until < $now THEN []
  ELSE [1] END |
  SET
    m.unprotected_at = CASE WHEN protection IS NULL THEN $now ELSE m.unprotected_at END,
    m.is_protected = CASE WHEN protection IS NOT NULL THEN true END
)
