// Return the cluster of memory `m`, and the label after '|' if the memory carries it; or nothing.
//
// An expression. Records keep it as one text.
//
// access  fragment
(coalesce(toStringOrNull(m.cluster_id), '') + coalesce('|' + toStringOrNull(m.cluster_label), ''))
