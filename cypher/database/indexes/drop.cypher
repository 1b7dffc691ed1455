// Drop an index.
//
// access  schema
// param   name : STRING
DROP INDEX $name IF EXISTS
