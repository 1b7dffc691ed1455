// Tell of the memories a walk came to what it shows of them; the rest is a matter of `recall/get`.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — that hold; a walk has seen to it
// returns memory_id       : STRING
// returns content         : STRING — as it was known then
// returns memory_type     : STRING
// returns tags            : LIST<STRING>
// returns importance      : FLOAT — 1..10
// returns lifecycle_state : STRING
// returns decay_score     : FLOAT — 0..1
// returns created_at      : STRING
// returns valid_at        : STRING?
// returns invalid_at      : STRING?
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id
// include decay/score
// include time/text_known
RETURN m.uuid AS memory_id, coalesce(version.content, m.content) AS content,
       m.memory_type AS memory_type, m.tags AS tags, m.importance AS importance,
       m.lifecycle_state AS lifecycle_state, faded AS decay_score,
       split(toString(m.created_at), '[')[0] AS created_at,
       m.valid_at AS valid_at, m.invalid_at AS invalid_at
