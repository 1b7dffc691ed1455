// Count the nodes and relationships that Graphiti made in a group, by kind.
//
// access  read
// param   id : STRING — id of the group
// returns entities    : INTEGER
// returns facts       : INTEGER
// returns episodes    : INTEGER
// returns communities : INTEGER
// returns sagas       : INTEGER
RETURN COUNT { MATCH (n:Entity {group_id: $id}) } AS entities,
       COUNT { MATCH ()-[r:RELATES_TO {group_id: $id}]->() } AS facts,
       COUNT { MATCH (n:Episodic {group_id: $id}) } AS episodes,
       COUNT { MATCH (n:Community {group_id: $id}) } AS communities,
       COUNT { MATCH (n:Saga {group_id: $id}) } AS sagas
