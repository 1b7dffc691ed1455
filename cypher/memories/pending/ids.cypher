// List the ids of the writes of a group that wait for a review, the earliest first.
//
// access  read
// returns pending_id : STRING
// include memories/pending/chosen
RETURN p.uuid AS pending_id ORDER BY p.created_at, pending_id
