// About to be forgotten: expired, or next to change their state; how faded they are now
MATCH (m:Memory {group_id: $group})
WHERE m.lifecycle_state = 'EXPIRED'
   OR m.lifecycle_state <> 'SOFT_DELETED' AND m.next_due_at IS NOT NULL
WITH * ORDER BY m.lifecycle_state = 'EXPIRED' DESC, m.next_due_at LIMIT 100
// include decay/score
RETURN m.name AS memory, m.lifecycle_state AS state, m.next_due_at AS changes, faded,
       m.last_accessed_at AS used, m.uuid AS memory_id
ORDER BY state = 'EXPIRED' DESC, changes
