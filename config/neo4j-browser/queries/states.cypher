// States: how many memories are where in their life
MATCH (m:Memory {group_id: $group})
RETURN m.lifecycle_state AS state, count(*) AS memories,
       round(avg(m.decay_score), 3) AS faded, round(avg(m.importance), 1) AS importance
ORDER BY memories DESC
