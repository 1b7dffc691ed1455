// Return the vector of memory `m`.
//
// An expression.
//
// access  fragment
m.embedding
