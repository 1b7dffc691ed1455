// Count the writes of a group that wait for a review.
//
// access  read
// param   group_id : STRING — the tenant
// returns waiting : INTEGER
MATCH (p:PendingWrite {group_id: $group_id})
RETURN count(p) AS waiting
