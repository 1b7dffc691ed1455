// Return the embedding model of the stored vectors.
//
// access  read
// returns model      : STRING
// returns dimensions : INTEGER
MATCH (control:Control {key: 'embedding'})
RETURN control.model AS model, control.dimensions AS dimensions
