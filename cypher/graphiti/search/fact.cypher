// Describe relation `r` for Graphiti, in `fact`; our properties are left out.
//
// access  fragment
// param   owned : LIST<STRING> — names of properties that are not attributes
WITH *, r {
  .uuid, .name, .group_id, .created_at, .expired_at, .valid_at, .invalid_at, .reference_time,
  fact: coalesce(r.fact, r.name), episodes: coalesce(r.episodes, []),
  source_node_uuid: startNode(r).uuid, target_node_uuid: endNode(r).uuid,
  attributes: [key IN keys(r) WHERE NOT key IN $owned | [key, r[key]]]
} AS fact
