// Return the vector of memory `m`; null if another client has damaged it.
//
// An expression.
//
// access  fragment
CASE WHEN
  // include fragments/memory/has_cosine
THEN m.embedding END
