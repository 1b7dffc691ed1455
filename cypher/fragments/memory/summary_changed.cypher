// Return true if adopted memory `m` lacks the summary that a client of Graphiti has saved since.
//
// An expression. A memory follows Graphiti until a caller changes its content. A memory that an
// earlier version adopted has no `adopted_hash`, but it has versions if its content has changed. Of
// a compressed content only the beginning is compared.
//
// access  fragment
m.adopted_at > '' AND m.soft_deleted_at IS NULL
  AND m.summary <> '' AND NOT m.content ENDS WITH m.summary
  AND NOT (coalesce(m.is_compressed, false) AND m.name + ': ' + m.summary STARTS WITH m.content)
  AND coalesce(m.adopted_hash = m.content_hash, NOT EXISTS { (m)-[:HAS_VERSION]->() })
