// Set properties of relations to values of the right type.
//
// access  write
// param   relations : LIST<MAP> — relation_id, and values, the properties to set; null removes
// returns relation_id : STRING
UNWIND $relations AS row
MATCH ()-[r:RELATES_TO]->() WHERE elementId(r) = row.relation_id
FOREACH (name IN keys(row.values) | SET r[name] = row.values[name])
RETURN elementId(r) AS relation_id
