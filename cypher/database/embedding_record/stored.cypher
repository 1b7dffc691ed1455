// Tell which embedding model the vectors of this database are of.
//
// access  read
// returns model      : STRING
// returns dimensions : INTEGER
MATCH (control:Control {key: 'embedding'})
RETURN control.model AS model, control.dimensions AS dimensions
