// Fetch the token vectors of memories that `measured` returned without them.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns part      : MAP — start, end, vectors; see `ranking/late_interaction.py`
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id
WITH m, null AS version
RETURN m.uuid AS memory_id,
  // include search/candidates/part
  AS part
