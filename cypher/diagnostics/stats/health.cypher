// Measure how far memories of a group have faded, how they are rated, and what is pending.
//
// Deleted memories do not count, except for the instant of the earliest deletion. The caller adds
// up the ranges. The sum and the number of the values of a property give its mean.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// returns protected              : INTEGER — memories that do not fade
// returns decay_score            : MAP — total and count of the scores
// returns importance             : MAP — the same of the importance
// returns stability              : MAP — the same of the stability
// returns confidence             : MAP — the same of the confidence
// returns classification_pending : INTEGER — memories that wait for the language model
// returns first_deleted_at       : STRING? — ISO 8601, UTC
// variant sound
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE $after_id < m.uuid <= $last_id
// include decay/score
WITH fields.soft_deleted_at AS deleted_at, CASE WHEN fields.soft_deleted_at IS NULL THEN {
  score: faded, protection: protection, importance: fields.importance,
  stability: fields.stability, confidence: m.confidence, status: m.classification_status
} END AS kept
RETURN count(kept.protection) AS protected,
       {total: sum(kept.score), count: count(kept.score)} AS decay_score,
       {total: sum(kept.importance), count: count(kept.importance)} AS importance,
       {total: sum(kept.stability), count: count(kept.stability)} AS stability,
       {total: sum(kept.confidence), count: count(kept.confidence)} AS confidence,
       count(CASE kept.status WHEN 'pending' THEN 1 END) AS classification_pending,
       min(deleted_at) AS first_deleted_at
