// Record the embedding model of the stored vectors, and that long memories have passages.
//
// access  write
// param   model      : STRING
// param   dimensions : INTEGER
MERGE (control:Control {key: 'embedding'})
SET control.model = $model, control.dimensions = $dimensions, control.passages = true
