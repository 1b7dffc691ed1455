// Remember which embedding model the vectors of this database are of.
//
// access  write
// param   model      : STRING
// param   dimensions : INTEGER
MERGE (control:Control {key: 'embedding'})
SET control.model = $model, control.dimensions = $dimensions
