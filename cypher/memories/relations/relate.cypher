// Relate memories of one group; repeating a relation updates its strength and metadata.
//
// access  write
// returns from_id       : STRING
// returns to_id         : STRING
// returns relation_type : STRING
// returns strength      : FLOAT
// returns created       : BOOLEAN
// include fragments/relation/create
RETURN a.uuid AS from_id, b.uuid AS to_id, r.name AS relation_type, r.strength AS strength,
       r.uuid = row.relation_id AS created
