// Return the beginning of the hash of the text of memory `m`: enough to see that it changed.
//
// An expression.
//
// access  fragment
left(coalesce(toStringOrNull(m.content_hash), ''), 8)
