// Fetch the token vectors of memories; memories without them are left out.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns vectors   : BYTES — quantised, see `ranking/late_interaction.py`
MATCH (m:Memory)-[:HAS_WORDS]->(w:WordVectors)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id
RETURN m.uuid AS memory_id, w.vectors AS vectors
