// Count what waits for a review in a group, and its tombstones.
//
// access  read
// param   group_id : STRING — the tenant
// returns waiting_writes : INTEGER
// returns open_proposals : INTEGER
// returns waiting_since  : STRING? — ISO 8601, UTC; of the earliest waiting write
// returns tombstones     : INTEGER
RETURN COUNT { MATCH (p:PendingWrite {group_id: $group_id}) } AS waiting_writes,
       COUNT { MATCH (p:Proposal {group_id: $group_id, status: 'open'}) } AS open_proposals,
       head(COLLECT {
         MATCH (p:PendingWrite {group_id: $group_id}) RETURN min(p.created_at)
       }) AS waiting_since,
       COUNT { MATCH (t:Tombstone {group_id: $group_id}) } AS tombstones
