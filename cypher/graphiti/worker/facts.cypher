// Count the facts that an episode holds.
//
// access  read
// param   group_id   : STRING — the tenant
// param   episode_id : STRING
// returns facts : INTEGER
MATCH (e:Episodic {uuid: $episode_id})
WHERE e.group_id = $group_id
RETURN size(coalesce(e.entity_edges, [])) AS facts
