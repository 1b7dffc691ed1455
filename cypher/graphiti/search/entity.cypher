// Describe entity `n` as Graphiti knows it, in `entity`; what is ours alone stays with us.
//
// access  fragment
// param   owned : LIST<STRING> — the properties that are no attributes
WITH *, n {
  .uuid, .name, .group_id, .created_at, summary: coalesce(n.summary, ''), labels: labels(n),
  attributes: [key IN keys(n) WHERE NOT key IN $owned | [key, n[key]]]
} AS entity
