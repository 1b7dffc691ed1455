// Return which of some relation types the relations of a group have.
//
// access  read
// param   group_id : STRING — the tenant
// param   names    : LIST<STRING>
// returns name : STRING
UNWIND $names AS name
CALL (name) {
  MATCH ()-[r:RELATES_TO {name: name, group_id: $group_id}]->()
  RETURN 1 AS found LIMIT 1
}
RETURN name
