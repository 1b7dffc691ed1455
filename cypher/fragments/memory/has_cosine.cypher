// Return true if the vector of memory `m` has a cosine: as many numbers as its model, not all 0.
//
// An expression. Neo4j computes no cosine of other values, and fails the whole statement.
//
// access  fragment
CASE WHEN m.embedding IS :: LIST<FLOAT NOT NULL> NOT NULL
  THEN coalesce(size(m.embedding) = m.embedding_dimension, false)
    AND 0 < reduce(length = 0.0, x IN m.embedding | length + x * x) < 1e30
  ELSE false END
