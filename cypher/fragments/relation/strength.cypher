// Return the strength of relation `r`: the learned one, or else the given one, or else 0.5.
//
// An expression. A value of another type counts as none.
//
// access  fragment
coalesce(toFloatOrNull(r.learned_strength), toFloatOrNull(r.strength), 0.5)
