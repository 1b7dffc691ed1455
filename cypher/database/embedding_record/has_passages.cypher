// Return true if all long memories have passages.
//
// access  read
// returns has_passages : BOOLEAN
MATCH (control:Control {key: 'embedding'})
RETURN coalesce(control.passages, false) AS has_passages
