// Measure how far the memories of a group have faded, how they are rated, and what is pending.
//
// Deleted memories do not count, except for the instant of the earliest deletion.
//
// access  read
// param   group_id : STRING — the tenant
// returns protected              : INTEGER — memories that do not fade
// returns averages               : MAP — decay_score, importance, stability, confidence
// returns classification_pending : INTEGER — memories that wait for the language model
// returns first_deleted_at       : STRING? — ISO 8601, UTC
// variant sound
MATCH (m:Memory {group_id: $group_id})
// include decay/score
WITH m.soft_deleted_at AS deleted_at, faded, protection,
     CASE WHEN m.soft_deleted_at IS NULL THEN m END AS kept
RETURN count(CASE WHEN kept IS NOT NULL THEN protection END) AS protected,
       {decay_score: round(avg(CASE WHEN kept IS NOT NULL THEN faded END), 4),
        importance: round(avg(kept.importance), 4), stability: round(avg(kept.stability), 4),
        confidence: round(avg(kept.confidence), 4)} AS averages,
       count(CASE WHEN kept.classification_status = 'pending' THEN 1 END)
         AS classification_pending,
       min(deleted_at) AS first_deleted_at
