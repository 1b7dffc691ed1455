// Record the embedding model of the stored vectors.
//
// access  write
// param   model      : STRING
// param   dimensions : INTEGER
MERGE (control:Control {key: 'embedding'})
SET control.model = $model, control.dimensions = $dimensions
