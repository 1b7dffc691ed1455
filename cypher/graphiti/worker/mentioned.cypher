// List the entities that an episode mentions, and the work left for each.
//
// access  read
// param   group_id   : STRING — the tenant
// param   episode_id : STRING
// returns memory_id    : STRING
// returns content      : ANY — text, or a list of one compressed text
// returns content_hash : STRING?
// returns created_at   : STRING
// returns updated_at   : STRING?
// returns known        : BOOLEAN — existed before the episode
// returns unrated      : BOOLEAN
// returns unembedded   : BOOLEAN
MATCH (e:Episodic {uuid: $episode_id})-[:MENTIONS]->(m:Memory)
WHERE e.group_id = $group_id AND m.group_id = $group_id
WITH DISTINCT e, m
RETURN m.uuid AS memory_id,
  // include fragments/memory/content
  AS content,
       m.content_hash AS content_hash, toString(m.created_at) AS created_at,
       m.updated_at AS updated_at, m.created_at < e.created_at AS known,
       m.classification_status = 'pending' AS unrated, m.embedding_model IS NULL AS unembedded
ORDER BY memory_id
