// Find memories by the model of their vector.
//
// access  schema
CREATE INDEX memory_embedding_model_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.embedding_model)
