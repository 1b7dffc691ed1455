// Return the names of the properties of a memory, `fields`, with a value of another type.
//
// An expression. Instants, vectors and texts of few values have tests of their own.
//
// access  fragment
// param   kinds : MAP — the type of each property, such as text or list of text
[name IN keys($kinds) WHERE NOT CASE $kinds[name]
  WHEN 'text' THEN fields[name] IS :: STRING
  WHEN 'list of text' THEN fields[name] IS :: LIST<STRING NOT NULL>
  WHEN 'float' THEN fields[name] IS :: INTEGER | FLOAT
  WHEN 'integer' THEN fields[name] IS :: INTEGER
  WHEN 'boolean' THEN fields[name] IS :: BOOLEAN
  ELSE true
END]
