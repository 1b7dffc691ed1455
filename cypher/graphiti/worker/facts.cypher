// Count the facts that an episode holds, without those left out as rejected.
//
// access  read
// param   group_id   : STRING — the tenant
// param   episode_id : STRING
// returns facts : INTEGER
MATCH (e:Episodic {uuid: $episode_id})
WHERE e.group_id = $group_id
RETURN size([id IN coalesce(e.entity_edges, [])
  WHERE EXISTS { MATCH ()-[:RELATES_TO {uuid: id}]->() }]) AS facts
