// Check that the properties of memory `m` that decay reads have the types that this service writes.
//
// An expression, never null. Any client of Neo4j can store other types, such as a text as a number.
//
// access  fragment
coalesce(
  m.created_at IS :: ZONED DATETIME
  AND m.importance IS :: INTEGER | FLOAT AND m.stability IS :: INTEGER
  AND m.confidence IS :: INTEGER | FLOAT AND m.decay_rate IS :: INTEGER | FLOAT
  AND m.access_count IS :: INTEGER AND m.memory_type IS :: STRING
  AND m.decay_policy IS :: STRING AND m.lifecycle_state IS :: STRING AND m.tags IS :: LIST<ANY>
  AND all(at IN [
    m.last_accessed_at, m.updated_at, m.preserve_until, m.unprotected_at, m.obsolete_at,
    m.soft_deleted_at, m.held_until, m.confidence_decayed_at
  ] WHERE at IS NULL OR at =~ '\\d{4}-(0\\d|1[0-2])-([0-2]\\d|3[01])T([01]\\d|2[0-3]):.{5,12}Z'),
  false)
