// States: how many memories are where in their life, and how faded they are now
MATCH (m:Memory {group_id: $group})
// include decay/score
RETURN m.lifecycle_state AS state, count(*) AS memories, round(avg(faded), 3) AS faded,
       round(avg(m.importance), 1) AS importance
ORDER BY memories DESC
