// Set the cluster of memory `m` to `place`: the cluster, and the label after '|'; empty for none.
//
// access  fragment
SET
  m.cluster_id = CASE split(place, '|')[0] WHEN '' THEN null ELSE split(place, '|')[0] END,
  m.cluster_label = split(place, '|')[1]
