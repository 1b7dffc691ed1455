// Return what was learned about relation `r` as text, to record and to compare; empty for nothing.
//
// An expression.
//
// access  fragment
coalesce(
  toString(toFloatOrNull(r.learned_strength)) + '|' + toString(toIntegerOrNull(r.use_count)) + '|'
    + toStringOrNull(r.last_used_at),
  ''
)
