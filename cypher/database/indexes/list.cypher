// List the indexes, including those of constraints.
//
// access  read
// returns name       : STRING
// returns type       : STRING
// returns state      : STRING
// returns target     : LIST<STRING>
// returns properties : LIST<STRING>
// returns constraint : STRING
SHOW INDEXES
YIELD name, type, state, labelsOrTypes AS target, properties, owningConstraint AS constraint
RETURN name, type, state, target, properties, constraint
