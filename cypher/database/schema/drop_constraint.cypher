// Drop a constraint.
//
// access  schema
// param   name : STRING
DROP CONSTRAINT $name IF EXISTS
