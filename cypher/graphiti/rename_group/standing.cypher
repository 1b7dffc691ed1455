// Check whether a group's id is in use, and return its previous id if it was renamed.
//
// access  read
// param   id : STRING — id of the group
// returns held : BOOLEAN
// returns was  : STRING?
RETURN EXISTS { MATCH (n:Entity {group_id: $id}) }
  OR EXISTS { MATCH (n:PurgedMemory {group_id: $id}) }
  OR EXISTS {
    MATCH (n:Episodic|Community|Saga|EpisodeJob|Session|Conversation)
    WHERE n.group_id = $id
  }
  OR EXISTS { MATCH ()-[r:RELATES_TO {group_id: $id}]->() } AS held,
  head(COLLECT { MATCH (before:GroupBefore {group_id: $id}) RETURN before.was }) AS was
