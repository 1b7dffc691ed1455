// About to be forgotten: expired, or next to change their state
MATCH (m:Memory {group_id: $group})
WHERE m.lifecycle_state = 'EXPIRED'
   OR m.lifecycle_state <> 'SOFT_DELETED' AND m.next_due_at IS NOT NULL
RETURN m.name AS memory, m.lifecycle_state AS state, m.next_due_at AS changes,
       m.decay_score AS faded, m.last_decay_update AS faded_as_of, m.last_accessed_at AS used,
       m.uuid AS memory_id
ORDER BY state = 'EXPIRED' DESC, changes LIMIT 100
