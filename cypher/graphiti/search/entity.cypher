// Describe entity `n` for Graphiti, in `entity`; our properties are left out.
//
// access  fragment
// param   owned : LIST<STRING> — names of properties that are not attributes
WITH *, n {
  .uuid, .name, .group_id, .created_at, summary: coalesce(n.summary, ''), labels: labels(n),
  attributes: [key IN keys(n) WHERE NOT key IN $owned | [key, n[key]]]
} AS entity
