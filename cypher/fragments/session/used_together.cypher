// Match each relation `r` between two memories that session `s` used.
//
// `used_at` is the instant from which it had used both.
//
// access  fragment
UNWIND range(0, size(coalesce(s.used_ids, [])) - 1) AS i
MATCH (:Memory {uuid: s.used_ids[i], group_id: s.group_id})-[r:RELATES_TO]->(end:Memory)
WHERE end.uuid IN s.used_ids AND coalesce(end.group_id = s.group_id, false)
WITH r, s.used_at[i] AS one,
     head([j IN range(0, size(s.used_ids) - 1) WHERE s.used_ids[j] = end.uuid | s.used_at[j]])
       AS other
WITH r, CASE WHEN one > other THEN one ELSE other END AS used_at
