// Return the names of the properties of memory `m` with a value of another type.
//
// An expression. Instants, vectors and texts of few values have tests of their own.
//
// access  fragment
// param   kinds : MAP — the type of each property, such as text or list of text
[name IN keys($kinds) WHERE NOT CASE $kinds[name]
  WHEN 'text' THEN m[name] IS :: STRING
  WHEN 'list of text' THEN m[name] IS :: LIST<STRING NOT NULL>
  WHEN 'float' THEN m[name] IS :: INTEGER | FLOAT
  WHEN 'integer' THEN m[name] IS :: INTEGER
  WHEN 'boolean' THEN m[name] IS :: BOOLEAN
  ELSE true
END]
